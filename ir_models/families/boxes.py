"""Boxes and scores: data with margins, so that honest rounding changes neither what overlaps enough nor the order.

Boxes lie on a grid, so that areas are exact and an IOU is a fraction of small numbers; scores are all different, and
short numbers. What happens at a threshold, and with equal scores, has cases of its own.
"""

from __future__ import annotations

import numpy as np

from ir_models.declaration import Index, Input, Layer, Output, Reading, TypeSet, types
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, i64

T_MAX_BOXES = types("T_MAX_BOXES", "integer type")
T_THRESHOLDS = types("T_THRESHOLDS", "floating-point type")

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


def output_type(layer: Layer) -> ElementType:
    """The type of indices, i64 for a page without an attribute."""
    return ELEMENT_TYPES.get(getattr(layer, "output_type", "i64"), i64)


# The boxes that are selected, with their scores, and how many they are.
TRIPLETS = [
    Output("selected_indices", output_type),
    Output("selected_scores", T_THRESHOLDS),
    Output("valid_outputs", output_type),
]

EQUAL_SCORES_ARE_OPEN = Reading(
    "the order of equal scores, and of scores that Soft-NMS computed within their errors",
    "Any order is right.",
    "'Take the box with highest score' does not tell equal ones apart.",
    "silence",
)
WITHOUT_AREA = Reading(
    "IOU of boxes without an area", "It is not tested.", "0 / 0 has no value.", "silence"
)
PORTS_WITHOUT_VALUES = Reading(
    "the values of the example's other inputs",
    "Those with which as many boxes are selected as the printed outputs have room for.",
    "The page prints ports without values.",
    "silence",
)
# Of the pages with scores among their outputs.
WITH_SCORES = [
    Reading(
        "steps 5 to 7: a suppressed box stays in the list with the score 0",
        "It is selected later where its score 0 is not below score_threshold, or is dropped: both are right.",
        "By the steps it stays; a box that was suppressed is none to select.",
        "contradiction",
    ),
    Reading(
        "the number of rows of the outputs",
        "As many as are selected, or the upper bound with rows of -1 behind them.",
        "'Plugins which do not support dynamic output tensors' do the latter.",
    ),
]
