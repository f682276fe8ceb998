"""Boxes on feature maps: what the operations on regions of interest share.

Ordinary boxes lie inside the map, with margins: their numbers have few bits, so that every type holds them, and no
choice of elements hangs on a rounding. What happens at edges has cases of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_models.declaration import Interval, Layer, Reading, Rule, rule

# Both signs, and a mean that is not zero, so that averages are of the size of their terms.
FEATURES = Interval(-2.0, 6.0)


def image_ids(layer: Layer, count: int, state: np.random.RandomState, maps: str) -> np.ndarray:
    """An image of the map for each box."""
    return np.asarray(state.randint(0, max(layer.tensors(maps)[0].shape[0], 1), count))


def has_images(maps: str, boxes: str, broken: str, column: int | None = 0) -> Rule:
    """That batch indices, stated or not, are those of images; in a column of the boxes or an input of their own."""

    def holds(layer: Layer) -> bool:
        given, count = layer.tensors(boxes)[0], layer.tensors(maps)[0].shape[0]
        if given.value is None:
            return count > 0 or given.shape[0] == 0
        ids = np.array(given.value, np.float64)
        ids = ids if column is None else ids.reshape(len(ids), -1)[:, column]
        return bool(np.all((ids >= 0) & (ids < count)))

    return rule("batch indices are in the range [0, N-1]", holds, broken)


def has_elements(maps: str) -> Rule:
    """That a map has a row and a column."""
    return rule(
        "a feature map has elements",
        lambda layer: 0 not in layer.tensors(maps)[0].shape[2:],
        unasked="the page does not say what a box is on a map without elements",
    )


def without_images(layer: Layer, maps: str, boxes: Mapping[str, Any]) -> Mapping[str, Any]:
    """No box where there is no image; ``boxes`` are the inputs that then have none."""
    return boxes if layer.tensors(maps)[0].shape[0] == 0 else {}


OUTSIDE = Reading(
    "boxes, or parts of them, outside the feature map",
    "Points of which none of the four elements around is on the map have any value.",
    "The page does not say what the map is there.",
    "silence",
)
