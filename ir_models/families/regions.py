"""Boxes on feature maps: what the operations on regions of interest share.

Ordinary boxes lie inside the map, with margins: their numbers have few bits, so that every type holds them, and no
choice of elements hangs on a rounding. What happens at edges has cases of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.page import Values

# Both signs, and a mean that is not zero, so that averages are of the size of their terms. Maxima are of positive
# numbers; negative ones have cases of their own.
FEATURES = Within(
    lambda layer, kind: Interval(*((1, 8) if getattr(layer, "mode", "") == "max" else (-2, 6)))
)


def image_ids(layer: Layer, count: int, state: np.random.RandomState, maps: str) -> np.ndarray:
    """An image of the map for each box."""
    return np.asarray(state.randint(0, max(layer.tensors(maps)[0].shape[0], 1), count))


def has_images(maps: str, boxes: str, broken: str, column: int | None = 0) -> Rule:
    """Whether batch indices, stated or not, are those of images; in a column of the boxes or an input of their own."""

    def holds(layer: Layer) -> bool:
        given, count = layer.tensors(boxes)[0], layer.tensors(maps)[0].shape[0]
        if given.value is None:
            return count > 0 or given.shape[0] == 0
        ids = np.array(given.value, np.float64)
        ids = ids if column is None else ids.reshape(len(ids), -1)[:, column]
        return bool(np.all((ids >= 0) & (ids < count)))

    return rule("batch indices are in the range [0, N-1]", holds, broken)


def has_elements(maps: str) -> Rule:
    """Whether a map has a row and a column."""
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


# Whether a box from begin to end on a map of a size is an ordinary one; arrays in elements of the map.
Usual = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def between_edges(bins: int, pixel: float) -> Usual:
    """Whether edges of bins are exact numbers or far from elements' ends, be the second corner's pixel in the box or
    not.

    ``pixel`` is as many elements of the map long.
    """

    def usual(begin: np.ndarray, end: np.ndarray, size: int) -> np.ndarray:
        found = np.ones(begin.shape, bool)
        for length in (end - begin, end - begin + pixel):
            edges = begin[:, None] + np.arange(bins + 1) * length[:, None] / bins
            far = np.abs(edges - np.round(edges)) > 1 / 16
            is_exact = (256 * length / bins % 1 == 0)[:, None]
            found &= np.all(far | is_exact, axis=1)
        return found

    return usual


def pixel_corners(
    size: int,
    scale: float,
    count: int,
    usual: Usual,
    state: np.random.RandomState,
    otherwise: int = 0,
) -> np.ndarray:
    """Whole numbers [count, 2] of first and second corners along one axis of a map, in pixels of the image.

    They are on the map, ``usual``, and short enough for 16-bit types; where there is no such box, 0 and ``otherwise``.
    """
    last = min(int(size / scale) - 1, 255)
    pairs = np.stack(np.triu_indices(max(last, 0) + 1, 1), axis=1)
    if len(pairs):
        pairs = pairs[usual(pairs[:, 0] * scale, pairs[:, 1] * scale, size)]
    if not len(pairs):
        pairs = np.array([[0, otherwise]])
    return np.asarray(pairs[state.randint(0, len(pairs), count)])


def without_images(layer: Layer, maps: str, boxes: Mapping[str, Any]) -> Mapping[str, Any]:
    """No box where there is no image; ``boxes`` are the inputs that then have none."""
    return boxes if layer.tensors(maps)[0].shape[0] == 0 else {}


OUTSIDE = Reading(
    "boxes, or parts of them, outside the feature map",
    "Points beyond the first or the last row or column have any value.",
    "The page does not say what the map is there.",
    "silence",
)

INVERTED = Reading(
    "boxes whose second corner is before the first",
    "Any value.",
    "The page does not say what they are.",
    "silence",
)
CORNERS = Reading(
    "'x_1, y_1, x_2, y_2', 'in absolute values'",
    "From corner to corner, times spatial_scale, where the first element is at 0; or both corners are pixels, rounded "
    "to whole numbers, which the box has in it, so that it ends one pixel further: the reference admits both.",
    "The page does not say whether the second corner is in the box.",
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
# The attributes of all of them, in the pages' order.
ALIGNING = [
    *POOLED,
    Attribute("sampling_ratio", int, required=True, least=0),
    Attribute("spatial_scale", float, required=True),
]
BEYOND = Reading(
    "points beyond the first or the last row or column of the map",
    "Within one element of it the value of the edge, or elements beyond it count as zeros: the reference admits both. "
    "Further away, any value.",
    "The page does not say what the map is there.",
    "silence",
)


def align_inputs(kinds: TypeSet, numbers: int, boxes: Values) -> list[Input]:
    """Maps, boxes of so many numbers, and the images of boxes."""
    return [
        Input("data", kinds, shape="N, C, H, W", values=FEATURES),
        Input("rois", kinds, shape=f"NUM_ROIS, {numbers}", values=boxes),
        BATCH_INDICES,
    ]


def positive_scale() -> Rule:
    """Whether spatial_scale is positive."""
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
