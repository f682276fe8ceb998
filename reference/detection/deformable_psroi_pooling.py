"""DeformablePSROIPooling (page DeformablePSROIPooling-1)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.regions import (
    Corners,
    Points,
    Sampled,
    box_ends,
    checked,
    images,
    inverted,
    numbers_from,
    reach_of,
)

_NAME = "DeformablePSROIPooling-1"
_Samples = Literal["corners", "centers"]


def _points(call: Call) -> Points:
    offsets = call.reals(2) if len(call.inputs) > 2 and call.inputs[2] is not None else None
    return _sampled(call.array(0).shape, call.reals(1), offsets, **call.attributes)


def _sampled(
    shape: tuple[int, ...],
    rois: np.ndarray,
    offsets: np.ndarray | None,
    *,
    output_dim: int,
    spatial_scale: float,
    group_size: int = 1,
    spatial_bins_x: int = 1,
    spatial_bins_y: int = 1,
    trans_std: float = 1.0,
    corners: str = "points",
    samples: str = "corners",
    **_: object,
) -> Points:
    count = len(rois)
    if offsets is None:
        offsets = np.zeros((count, 2, group_size, group_size))
    # [R, classes, 2, P, Q] of x and y, for each output channel that of its class.
    moved = offsets.reshape(count, offsets.shape[1] // 2, 2, group_size, group_size) * trans_std
    moved = np.repeat(moved, output_dim // moved.shape[1], axis=1)
    places = []
    for axis, parts in ((0, spatial_bins_x), (1, spatial_bins_y)):
        begin, end = box_ends(rois[:, 1 + axis], rois[:, 3 + axis], spatial_scale, corners)
        size = end - begin
        # Elements are as long as pixels are: the map has the value of the first one half an element from its begin.
        begin = begin - 0.5 * (corners == "pixels")
        bins = np.arange(group_size) / group_size
        bins = bins[:, None] if axis else bins
        part = (np.arange(parts) + 0.5 * (samples == "centers")) / parts / group_size
        at = (bins + moved[:, :, axis])[..., None] + part
        begin, size = (each.reshape(-1, 1, 1, 1, 1) for each in (begin, size))
        places.append(begin + at * size)
    # Each point of a sub-bin's row with each of its column.
    x = np.tile(places[0], spatial_bins_y)
    y = np.repeat(places[1], spatial_bins_x, axis=-1)
    channels = np.arange(shape[1]).reshape(output_dim, group_size, group_size, 1)
    batch = rois[:, 0].astype(np.int64)
    reach = reach_of(rois[:, 1:], spatial_scale)
    return Points((shape[2], shape[3]), batch, channels, y, x, reach)


@implements(
    "DeformablePSROIPooling-1",
    accuracy=Sampled(_points, silent=lambda call: inverted(call.reals(1)[:, 1:])),
    readings=[
        {"corners": "pixels"},
        {"samples": "centers"},
        {"corners": "pixels", "samples": "centers"},
    ],
)
def deformable_psroi_pooling(
    data: np.ndarray,
    rois: np.ndarray,
    offsets: np.ndarray | None = None,
    *,
    output_dim: int,
    spatial_scale: float,
    group_size: int = 1,
    mode: Literal["bilinear_deformable"] = "bilinear_deformable",
    spatial_bins_x: int = 1,
    spatial_bins_y: int = 1,
    trans_std: float = 1.0,
    part_size: int = 1,
    corners: Corners = "points",
    samples: _Samples = "corners",
) -> np.ndarray:
    """Averages of interpolated points in bins of boxes, each bin of an output channel in a map of its own; float64.

    data [N, C, H, W], rois [R, 5] of (batch_id, x_1, y_1, x_2, y_2), offsets [R, 2 * classes, group_size, group_size]
    -> [R, output_dim, group_size, group_size]. The page leaves open what the ``corners`` of a box are, and whether
    ``samples`` are in the corners or the centers of parts of a bin. Raises ValueError for other shapes, for an image
    that there is not, and for numbers that are not positive.
    """
    checked(_NAME, data, rois, 5, spatial_scale)
    numbers_from(_NAME, 1, output_dim=output_dim, group_size=group_size, part_size=part_size)
    numbers_from(_NAME, 1, spatial_bins_x=spatial_bins_x, spatial_bins_y=spatial_bins_y)
    if data.shape[1] != output_dim * group_size**2:
        raise ValueError(
            f"{_NAME}: there must be {output_dim} * {group_size}^2 channels, got {data.shape[1]}"
        )
    images(_NAME, rois[:, 0], len(data))
    if offsets is not None:
        size = (len(rois), group_size, group_size)
        fits = offsets.ndim == 4 and (len(offsets), *offsets.shape[2:]) == size
        classes, odd = divmod(offsets.shape[1], 2) if fits else (0, 1)
        if odd or not classes or output_dim % classes or part_size != group_size:
            raise ValueError(
                f"{_NAME}: offsets must be [{len(rois)}, 2 * classes, {group_size}, {group_size}], classes divide "
                f"{output_dim} and part_size be {group_size}, got {list(offsets.shape)} and {part_size}"
            )
        offsets = offsets.astype(np.float64)
    points = _sampled(
        data.shape,
        rois.astype(np.float64),
        offsets,
        output_dim=output_dim,
        spatial_scale=spatial_scale,
        group_size=group_size,
        spatial_bins_x=spatial_bins_x,
        spatial_bins_y=spatial_bins_y,
        trans_std=trans_std,
        corners=corners,
        samples=samples,
    )
    return points.average(points.of(data.astype(np.float64)))
