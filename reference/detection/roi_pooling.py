"""ROIPooling (page ROIPooling-1)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.regions import Points, Sampled, checked, images, integer_bins, rounded_between

_Along = Literal["edges", "centers"]


def _along(low: np.ndarray, high: np.ndarray, size: int, count: int, points: str) -> np.ndarray:
    """The points [R, count] of boxes along an axis, from one edge to the other or in the middles of bins."""
    start, length = low * (size - 1), (high - low) * (size - 1)
    part = (np.arange(count) + 0.5) / count
    if points == "edges" and count > 1:
        part = np.arange(count) / (count - 1)
    return np.asarray(start[:, None] + part * length[:, None])


def _points(call: Call) -> Points | None:
    """The points of ``bilinear``; None for ``max``."""
    arguments = call.attributes
    if arguments.get("method", "max") == "max":
        return None
    return _bilinear(
        call.array(0),
        call.reals(1),
        arguments["pooled_h"],
        arguments["pooled_w"],
        arguments.get("points", "edges"),
    )


def _bilinear(
    data: np.ndarray, rois: np.ndarray, pooled_h: int, pooled_w: int, points: str
) -> Points:
    batch, x_1, y_1, x_2, y_2 = rois.T
    height, width = data.shape[2:]
    y = _along(y_1, y_2, height, pooled_h, points)[:, None, :, None, None]
    x = _along(x_1, x_2, width, pooled_w, points)[:, None, None, :, None]
    channels = np.arange(data.shape[1])[:, None, None, None]
    # The first ends of a box times the map's size less 1.
    first_x, first_y = (
        (end * (size - 1)).reshape(-1, 1, 1, 1, 1) for end, size in ((x_1, width), (y_1, height))
    )
    rounded = (
        rounded_between(first_y, y, scaled=1, parts=1),
        rounded_between(first_x, x, scaled=1, parts=1),
    )
    return Points((height, width), batch.astype(np.int64), channels, y, x, rounded)


def _silent(call: Call) -> np.ndarray:
    """Bins without an element, and those with NaN: the page does not say what is their maximum."""
    if _points(call) is not None:
        return np.zeros((), bool)
    return np.asarray(np.isnan(call.outputs[0]))


@implements(
    "ROIPooling-1",
    accuracy=Sampled(_points, steps=1.0, silent=_silent),
    readings=[{"points": "centers"}],
)
def roi_pooling(
    data: np.ndarray,
    rois: np.ndarray,
    *,
    pooled_h: int,
    pooled_w: int,
    spatial_scale: float,
    method: Literal["max", "bilinear"] = "max",
    points: _Along = "edges",
) -> np.ndarray:
    """The parts of maps in boxes, each pooled to one size.

    data [N, C, H, W], rois [NUM_ROIS, 5] of (batch_id, x_1, y_1, x_2, y_2) -> [NUM_ROIS, C, pooled_h, pooled_w].
    ``max``: the largest of the elements that a bin touches, NaN for a bin without any; the type of data. ``bilinear``:
    the value at one point of each bin, float64; the page leaves open whether the ``points`` go from one edge of a box
    to the other or are in the middles of bins. Raises ValueError for other shapes, for an image that there is not, and
    for a scale that is not positive.
    """
    checked("ROIPooling-1", data, rois, 5, spatial_scale)
    boxes = rois.astype(np.float64)
    batch = images("ROIPooling-1", boxes[:, 0], len(data))
    if method == "bilinear":
        return _bilinear(data, boxes, pooled_h, pooled_w, points).of(data.astype(np.float64))[
            ..., 0
        ]
    start, end = boxes[:, 1:3] * spatial_scale, boxes[:, 3:] * spatial_scale
    width, height = np.maximum(end - start, 1.0).T
    top, bottom = integer_bins(start[:, 1], height, pooled_h, data.shape[2])
    left, right = integer_bins(start[:, 0], width, pooled_w, data.shape[3])
    found = np.full((len(rois), data.shape[1], pooled_h, pooled_w), np.nan, data.dtype)
    for roi, row, column in np.ndindex(len(rois), pooled_h, pooled_w):
        rows = slice(top[roi, row], bottom[roi, row])
        part = data[batch[roi], :, rows, left[roi, column] : right[roi, column]]
        if all(part.shape[1:]):
            found[roi, :, row, column] = part.max(axis=(1, 2))
    return found
