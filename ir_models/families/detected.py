"""Boxes that are decoded from offsets: data with margins, so that no honest rounding changes what overlaps enough.

Boxes lie on a grid; the boxes of a corner of the image, few, overlap each other, and those of others not at all. Where
two of them overlap by nearly the threshold one is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["STEPS", "cells_for", "priors", "scattered_scores", "targets", "to_resize"]

# Positions on a side of a cell, boxes in a cell, and what an overlap differs from the threshold.
STEPS = 16
_IN_CELL = 6
_MARGIN = 0.05


def cells_for(count: int) -> int:
    """The cells on a side of an image with so many boxes: a power of two."""
    cells = 1
    while cells * cells * _IN_CELL < count:
        cells *= 2
    return cells


def _origins(count: int) -> np.ndarray:
    """The positions where the cells of boxes begin: [count, 2]."""
    cell = np.arange(count) // _IN_CELL
    cells = cells_for(count)
    return np.column_stack([cell % cells, cell // cells]) * STEPS


def priors(count: int, seed: int = 0) -> np.ndarray:
    """Boxes on the grid, always the same ones: positions [count, 4], of sizes of 4, 6, 8, 10 and 12."""
    state = np.random.RandomState(seed)
    size = 2 * state.randint(2, 7, (count, 2))
    begin = (state.random_sample((count, 2)) * (STEPS + 1 - size)).astype(int) + _origins(count)
    return np.concatenate([begin, begin + size], axis=1)


def targets(
    groups: int,
    count: int,
    threshold: float,
    state: np.random.RandomState,
    extents: Sequence[float] = (0.0,),
    beyond: int = 0,
    clips: bool = True,
) -> np.ndarray:
    """Boxes on the grid that overlap no other of their group by nearly the threshold: [groups, count, 4].

    ``extents`` as those of an IOU: the margin is kept with each. ``beyond``: how far they may begin before a cell and
    end behind it; ``clips``: positions outside the image do not count where boxes are compared.
    """
    low, high = (0, STEPS * cells_for(count)) if clips else (-STEPS, 2 * STEPS * cells_for(count))
    found = np.zeros((groups, count, 4), int)
    for box, origin in enumerate(_origins(count)):
        near = box % _IN_CELL
        drawn = np.arange(groups)
        for _ in range(60):
            found[drawn, box] = _drawn(len(drawn), beyond, state) + np.tile(origin, 2)
            if not near:
                break
            cell = np.minimum(np.maximum(found[drawn, box - near : box + 1], low), high)
            overlaps = [_iou(cell[:, -1:], cell[:, :-1], extent) for extent in extents]
            drawn = drawn[(np.abs(np.hstack(overlaps) - threshold) < _MARGIN).any(axis=1)]
            if not len(drawn):
                break
    return found


def _drawn(count: int, beyond: int, state: np.random.RandomState) -> np.ndarray:
    """Boxes of a cell, at least three positions wide, with at least two inside."""
    size = state.randint(3, 13, (count, 2))
    low, high = np.maximum(-beyond, 2 - size), np.minimum(STEPS - size + beyond, STEPS - 2)
    begin = low + (state.random_sample((count, 2)) * (high - low + 1)).astype(int)
    return np.concatenate([begin, begin + size], axis=1)


def _iou(one: np.ndarray, others: np.ndarray, extent: float) -> np.ndarray:
    """Intersection over union: [groups, 1, 4] and [groups, k, 4] -> [groups, k]."""
    low = np.maximum(one[..., :2], others[..., :2])
    high = np.minimum(one[..., 2:], others[..., 2:])
    shared = _area(np.maximum(high - low + extent, 0))
    areas = [_area(each[..., 2:] - each[..., :2] + extent) for each in (one, others)]
    found: np.ndarray = shared / (areas[0] + areas[1] - shared)
    return found


def _area(sizes: np.ndarray) -> np.ndarray:
    area: np.ndarray = sizes[..., 0] * sizes[..., 1]
    return area


def to_resize(boxes: np.ndarray, wanted: np.ndarray, extent: float = 0.0) -> np.ndarray:
    """Offsets [..., 4] that move the centers of boxes by parts of their sizes, and logarithms that resize them."""
    sizes = [each[..., 2:] - each[..., :2] + extent for each in (boxes, wanted)]
    centers = [each[..., :2] + size / 2 for each, size in zip((boxes, wanted), sizes, strict=True)]
    parts = [(centers[1] - centers[0]) / sizes[0], np.log(sizes[1] / sizes[0])]
    return np.concatenate(parts, axis=-1)


def scattered_scores(count: int, few: int, state: np.random.RandomState) -> np.ndarray:
    """Different scores in (0, 1], as short as their number allows, at most ``few`` above 1/32.

    One of them is 1.
    """
    levels = max(256, 2 ** int(np.ceil(np.log2(count + 1))))
    order = state.permutation(count)
    scores = 1 - order * (levels // max(count, 1)) / levels
    found: np.ndarray = np.where(order < few, scores, scores / 32)
    return found
