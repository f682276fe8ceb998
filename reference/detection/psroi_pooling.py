"""PSROIPooling (page PSROIPooling-1)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Bounds, Call, Precision, Sum
from reference.shared.regions import (
    Corners,
    Points,
    Sampled,
    box_ends,
    checked,
    images,
    integer_bins,
    inverted,
    numbers_from,
    rounded_between,
)

_Along = Literal["edges", "centers"]
_Maps = Literal["of_a_channel", "of_a_bin"]


def _bins(
    boxes: np.ndarray, group_size: int, scale: float, corners: str, sizes: tuple[int, ...]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The first elements, and those behind the last ones, of bins [R, group_size] along y and x."""
    found = []
    for axis, size in ((1, sizes[0]), (0, sizes[1])):
        begin, end = box_ends(boxes[:, axis], boxes[:, axis + 2], scale, corners)
        found.append(integer_bins(begin, end - begin, group_size, size))
    return found


def _places(low: np.ndarray, high: np.ndarray, bins: int, count: int, points: str) -> np.ndarray:
    """The points [R, bins, count] of boxes along an axis, each bin's from edge to edge or in the middles of parts."""
    part = (np.arange(count) + 0.5) / count
    if points == "edges" and count > 1:
        part = np.arange(count) / (count - 1)
    part = (np.arange(bins)[:, None] + part) / bins
    return np.asarray(low[:, None, None] + part * (high - low)[:, None, None])


def _points(call: Call) -> Points | None:
    """The points of ``bilinear``; None for ``average``."""
    if call.attributes.get("mode", "average") == "average":
        return None
    return _sampled(call.array(0).shape, call.reals(1), **call.attributes)


def _sampled(
    shape: tuple[int, ...],
    rois: np.ndarray,
    *,
    output_dim: int,
    spatial_scale: float,
    group_size: int = 1,
    spatial_bins_x: int = 1,
    spatial_bins_y: int = 1,
    points: str = "edges",
    maps: str = "of_a_channel",
    **_: object,
) -> Points:
    height, width = shape[2:]
    boxes = rois[:, 1:] * spatial_scale
    x_1, y_1, x_2, y_2 = (boxes * np.array([width - 1, height - 1] * 2)).T
    y = _places(y_1, y_2, spatial_bins_y, group_size, points)
    x = _places(x_1, x_2, spatial_bins_x, group_size, points)
    # A point of each bin: row by row of the bins, the last axis; rows and columns of the output before it.
    y = np.repeat(y.transpose(0, 2, 1), spatial_bins_x, axis=2)[:, None, :, None]
    x = np.tile(x.transpose(0, 2, 1), (1, 1, spatial_bins_y))[:, None, None]
    each = np.arange(shape[1])
    if maps == "of_a_channel":
        channels = each.reshape(output_dim, 1, 1, -1)
    else:
        channels = each.reshape(-1, output_dim).T[:, None, None]
    batch = rois[:, 0].astype(np.int64)
    # The first ends of a box times the scale and the map's size less 1; a part of a bin of the box.
    first_x, first_y = (each.reshape(-1, 1, 1, 1, 1) for each in (x_1, y_1))
    rounded = (
        rounded_between(first_y, y, scaled=2, parts=2),
        rounded_between(first_x, x, scaled=2, parts=2),
    )
    return Points((height, width), batch, channels, y, x, rounded)


def _averages_of(values: float | np.ndarray, call: Call) -> np.ndarray:
    """The averages of other values in the bins of a call."""
    return np.asarray(call.function(values, call.array(1), **call.attributes))


def _terms(call: Call) -> np.ndarray:
    arguments = call.attributes
    rows, columns = _bins(
        call.reals(1)[:, 1:],
        arguments.get("group_size", 1),
        arguments["spatial_scale"],
        arguments.get("corners", "points"),
        call.array(0).shape[2:],
    )
    return np.asarray(
        (rows[1] - rows[0])[:, None, :, None] * (columns[1] - columns[0])[:, None, None, :]
    )


def _magnitude(call: Call) -> np.ndarray:
    """The averages of finite absolute values; 0 for a bin without an element."""
    data = call.reals(0)
    return np.nan_to_num(_averages_of(np.where(np.isfinite(data), np.abs(data), 0.0), call))


# A division after the sum of a bin.
_AVERAGE = Sum(terms=_terms, extra=1, partial=_terms, magnitude=_magnitude)


@dataclass(frozen=True)
class _Pooled(Sampled):
    """Averages of the elements of bins, which no coordinate's error changes, or of interpolated points."""

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula of the mode."""
        if self.points(call) is None:
            return _AVERAGE.real_bounds(call, output_index, own, working)
        return super().real_bounds(call, output_index, own, working)


def _silent(call: Call) -> np.ndarray:
    """Boxes that are inverted, and bins without an element."""
    zeros = np.zeros(call.array(0).shape)
    return inverted(call.reals(1)[:, 1:]) | np.isnan(_averages_of(zeros, call))


@implements(
    "PSROIPooling-1",
    accuracy=_Pooled(_points, steps=1.0, silent=_silent),
    readings=[
        {"corners": "pixels", "points": "centers"},
        {"maps": "of_a_bin"},
        {"maps": "of_a_bin", "points": "centers"},
    ],
)
def psroi_pooling(
    data: np.ndarray,
    rois: np.ndarray,
    *,
    output_dim: int,
    spatial_scale: float,
    group_size: int = 1,
    mode: Literal["average", "bilinear"] = "average",
    spatial_bins_x: int = 1,
    spatial_bins_y: int = 1,
    corners: Corners = "points",
    points: _Along = "edges",
    maps: _Maps = "of_a_channel",
) -> np.ndarray:
    """Averages of bins of boxes, each bin of an output channel in a map of its own; float64.

    data [N, C, H, W], rois [R, 5] of (batch_id, x_1, y_1, x_2, y_2) -> [R, output_dim, group_size, group_size].
    ``average``: of the elements that a bin touches, NaN for a bin without any. ``bilinear``: of one point of each of
    spatial_bins_y by spatial_bins_x bins. The page leaves open what ``corners`` are, where the ``points`` of a bin lie
    and how the ``maps`` are ordered. Raises ValueError for other shapes, for an image that there is not, and for
    numbers that are not positive.
    """
    checked("PSROIPooling-1", data, rois, 5, spatial_scale)
    numbers_from("PSROIPooling-1", 1, output_dim=output_dim, group_size=group_size)
    numbers_from("PSROIPooling-1", 1, spatial_bins_x=spatial_bins_x, spatial_bins_y=spatial_bins_y)
    bins = group_size**2 if mode == "average" else spatial_bins_x * spatial_bins_y
    if data.shape[1] != output_dim * bins:
        raise ValueError(
            f"PSROIPooling-1: there must be {output_dim} * {bins} channels, got {data.shape[1]}"
        )
    boxes, values = rois.astype(np.float64), data.astype(np.float64)
    batch = images("PSROIPooling-1", boxes[:, 0], len(data))
    if mode == "bilinear":
        sampled = _sampled(
            data.shape,
            boxes,
            output_dim=output_dim,
            spatial_scale=spatial_scale,
            group_size=group_size,
            spatial_bins_x=spatial_bins_x,
            spatial_bins_y=spatial_bins_y,
            points=points,
            maps=maps,
        )
        return sampled.average(sampled.of(values))
    rows, columns = _bins(boxes[:, 1:], group_size, spatial_scale, corners, data.shape[2:])
    grouped = values.reshape(len(data), output_dim, group_size, group_size, *data.shape[2:])
    found = np.full((len(rois), output_dim, group_size, group_size), np.nan)
    for roi, row, column in np.ndindex(len(rois), group_size, group_size):
        part = grouped[
            batch[roi],
            :,
            row,
            column,
            rows[0][roi, row] : rows[1][roi, row],
            columns[0][roi, column] : columns[1][roi, column],
        ]
        if all(part.shape[1:]):
            found[roi, :, row, column] = part.mean(axis=(1, 2))
    return found
