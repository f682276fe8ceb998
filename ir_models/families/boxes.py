"""Boxes and scores: data with margins, so that honest rounding changes neither what overlaps enough nor the order.

Boxes lie on a grid, so that areas are exact and an IOU is a fraction of small numbers; scores are all different, and
short numbers. What happens at a threshold, and with equal scores, has cases of its own.
"""

from __future__ import annotations

import numpy as np

from ir_models.declaration import Index, Input, Layer, TypeSet

# On a grid of 8 by 8 no IOU, a quotient of two numbers of cells, is one of these.
A_QUARTER, A_HALF, THREE_QUARTERS, ABOVE_ALL = 33 / 128, 65 / 128, 95 / 128, 1.5


def cells_of(layer: Layer) -> int:
    """How many cells a side of the grid has: fewer in 16-bit types."""
    return 4 if layer.boxes.element_type.bits == 16 else 8


def corners_on_grid(
    shape: tuple[int, ...], cells: int, state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper corners of boxes of at least one cell: two arrays [*shape, 2] of whole numbers."""
    begin = state.randint(0, cells, (*shape, 2))
    size = 1 + (state.random_sample((*shape, 2)) * (cells - begin)).astype(int)
    return begin, begin + size


def distinct_scores(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Scores in (0, 1], all different, as short as their number allows."""
    count = layer.scores.size
    levels = max(256, 2 ** int(np.ceil(np.log2(count + 1))))
    spread = state.permutation(count) * (levels // max(count, 1)) + 1
    scores: np.ndarray = spread / levels
    return scores


def number(
    name: str, kinds: TypeSet, plain: float, shape: str = "scalar or 1", optional: bool = True
) -> Input:
    """An input of one number."""
    return Index(name, kinds, shape=shape, optional=optional, plain=plain)
