"""ROIAlignRotated (page ROIAlignRotated-15)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.regions import (
    Points,
    Sampled,
    checked,
    crossed,
    grid,
    images,
    numbers_from,
    reach_of,
)

_Beyond = Literal["edge", "zero"]


def _points(call: Call) -> Points:
    return _sampled(call.array(0), call.reals(1), call.array(2).astype(np.int64), **call.attributes)


def _sampled(
    data: np.ndarray,
    rois: np.ndarray,
    batch: np.ndarray,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    clockwise_mode: bool = False,
    beyond: _Beyond = "edge",
) -> Points:
    sizes, angle = rois[:, :4] * spatial_scale, rois[:, -1] * (1 if clockwise_mode else -1)
    center_x, center_y, width, height = sizes.T
    # From the center of the box, before it is turned.
    y, x, counted = crossed(
        grid(-height / 2, height, pooled_h, sampling_ratio),
        grid(-width / 2, width, pooled_w, sampling_ratio),
    )
    angle, center_x, center_y = (v.reshape(-1, 1, 1, 1, 1) for v in (angle, center_x, center_y))
    # The y axis points down: turned clockwise, as it is seen, the x axis comes to point down.
    turned_x = center_x - 0.5 + x * np.cos(angle) - y * np.sin(angle)
    turned_y = center_y - 0.5 + x * np.sin(angle) + y * np.cos(angle)
    channels = np.arange(data.shape[1])[:, None, None, None]
    reach = reach_of(rois[:, :4], spatial_scale, is_turned=True)
    return Points(data.shape[2:], batch, channels, turned_y, turned_x, reach, beyond, counted)


@implements(
    "ROIAlignRotated-15",
    # Sine and cosine err by 4 ulp each, beside the steps of coordinates that are not turned.
    accuracy=Sampled(_points, steps=8.0),
    readings=[{"beyond": "zero"}],
)
def roi_align_rotated(
    data: np.ndarray,
    rois: np.ndarray,
    batch_indices: np.ndarray,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    clockwise_mode: bool = False,
    beyond: _Beyond = "edge",
) -> np.ndarray:
    """Averages of interpolated points in the bins of boxes that are turned about their centers.

    data [N, C, H, W], rois [NUM_ROIS, 5] of (center_x, center_y, width, height, angle in radians), batch_indices
    [NUM_ROIS] -> float64 [NUM_ROIS, C, pooled_h, pooled_w]. The page leaves open what the map is ``beyond`` its edge.
    Raises ValueError for other shapes, for an image that there is not, and for numbers below those of the page.
    """
    checked("ROIAlignRotated-15", data, rois, 5, spatial_scale, batch_indices)
    numbers_from("ROIAlignRotated-15", 1, pooled_h=pooled_h, pooled_w=pooled_w)
    numbers_from("ROIAlignRotated-15", 0, sampling_ratio=sampling_ratio)
    points = _sampled(
        data,
        rois.astype(np.float64),
        images("ROIAlignRotated-15", batch_indices, len(data)),
        pooled_h,
        pooled_w,
        sampling_ratio,
        spatial_scale,
        clockwise_mode,
        beyond,
    )
    return points.average(points.of(data.astype(np.float64)))
