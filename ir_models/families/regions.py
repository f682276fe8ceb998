"""Boxes on feature maps: what the operations on regions of interest share.

Ordinary boxes lie inside the map, with margins: their numbers have few bits, so that every type holds them, and no
choice of elements hangs on a rounding. What happens at edges has cases of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ir_models.declaration import (
    Attribute,
    Draw,
    Input,
    Interval,
    Layer,
    Reading,
    Rule,
    Within,
    rule,
    types,
)

# Both signs, and a mean that is not zero, so that averages are of the size of their terms. Maxima are of positive
# numbers; negative ones have cases of their own.
FEATURES = Within(
    lambda layer, kind: Interval(*((1, 8) if getattr(layer, "mode", "") == "max" else (-2, 6)))
)


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


def span(
    size: int, bins: int, ratio: int, least: float, state: np.random.RandomState
) -> tuple[float, float]:
    """Begin and length of a box along one axis of a map, in quarters of elements, inside the map if there is room.

    Where the number of points follows from the length (``ratio`` 0) that of a bin is no whole number, nor near one.
    """
    lengths = np.arange(max(int(4 * least), 1), 4 * size - 3)
    if ratio == 0:
        part = lengths / 4 / bins % 1
        lengths = lengths[(part > 0.1) & (part < 0.9)]
    length = state.choice(lengths) if len(lengths) else max(int(4 * least), 1)
    begin = state.randint(0, max(4 * (size - 1) - length, 0) + 1)
    return begin / 4, length / 4


def without_images(layer: Layer, maps: str, boxes: Mapping[str, Any]) -> Mapping[str, Any]:
    """No box where there is no image; ``boxes`` are the inputs that then have none."""
    return boxes if layer.tensors(maps)[0].shape[0] == 0 else {}


OUTSIDE = Reading(
    "boxes, or parts of them, outside the feature map",
    "Points of which none of the four elements around is on the map have any value.",
    "The page does not say what the map is there.",
    "silence",
)

# --- the operations that align points to the map ------------------------------------------------------------------

IND_T = types("IND_T", "any supported integer type")
POOLED = [
    Attribute("pooled_h", int, required=True, least=1),
    Attribute("pooled_w", int, required=True, least=1),
]
BATCH_INDICES = Input(
    "batch_indices",
    IND_T,
    shape="NUM_ROIS",
    values=lambda layer, state: image_ids(layer, layer.batch_indices.size, state, "data"),
)
BEYOND = Reading(
    "points beyond the first or the last row or column of the map",
    "Within one element of it the value of the edge, or elements beyond it count as zeros: the reference admits both. "
    "Further away, any value.",
    "The page does not say what the map is there.",
    "silence",
)


def positive_scale() -> Rule:
    """That spatial_scale is positive."""
    return rule(
        "spatial_scale is positive",
        lambda layer: layer.spatial_scale > 0,
        "spatial_scale=0.0|-0.5",
    )


def align_rules(boxes: int) -> list[Rule]:
    """The rules of an operation with the input ``batch_indices``; its plain layer has so many boxes, and two images."""

    def ids(wrong: int) -> str:
        return str([0, 1, wrong, 0, 1][:boxes]).replace(" ", "")

    broken = f"batch_indices=i64:{ids(2)}|i64:{ids(-1)}"
    return [
        positive_scale(),
        has_images("data", "batch_indices", broken, None),
        has_elements("data"),
    ]


def drawn_sizes(draw: Draw, numbers: int) -> dict[str, Any]:
    """A draw of shapes, ``numbers`` of each box, and of the attributes of all these operations."""
    count = draw.integer(1, 6)
    return {
        "data": [draw.integer(1, 3), draw.integer(1, 5), draw.integer(1, 14), draw.integer(1, 14)],
        "rois": [count, numbers],
        "batch_indices": [count],
        "pooled_h": draw.integer(1, 4),
        "pooled_w": draw.integer(1, 4),
        "sampling_ratio": draw.integer(0, 3),
        "spatial_scale": draw.choice([0.0625, 0.25, 1.0, 2.0]),
    }


def no_images(numbers: int) -> Callable[[Layer], Mapping[str, Any]]:
    """The function that leaves no box where there is no image."""
    return lambda layer: without_images(layer, "data", {"rois": [0, numbers], "batch_indices": [0]})
