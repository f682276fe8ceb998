"""ROIAlign (pages ROIAlign-3 and ROIAlign-9)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.regions import (
    Points,
    Sampled,
    aligned_points,
    checked,
    images,
    numbers_from,
)

_AlignedMode = Literal["asymmetric", "half_pixel_for_nn", "half_pixel"]
_Beyond = Literal["edge", "zero"]


def _points(call: Call) -> Points:
    arguments = {name: value for name, value in call.attributes.items() if name != "mode"}
    return _sampled(call.array(0), call.reals(1), call.array(2).astype(np.int64), **arguments)


def _sampled(
    data: np.ndarray,
    rois: np.ndarray,
    batch: np.ndarray,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned_mode: str = "asymmetric",
    beyond: _Beyond = "edge",
) -> Points:
    shift = {"half_pixel_for_nn": -0.5, "half_pixel": 0.5 * spatial_scale - 0.5}.get(
        aligned_mode, 0
    )
    return aligned_points(
        (data.shape[2], data.shape[3]),
        data.shape[1],
        batch,
        rois,
        (pooled_h, pooled_w),
        sampling_ratio,
        scale=spatial_scale,
        shift=shift,
        least=1.0 if aligned_mode == "asymmetric" else 0.0,
        beyond=beyond,
    )


@implements(
    "ROIAlign-3",
    "ROIAlign-9",
    accuracy=Sampled(_points, lambda call: call.attributes["mode"] == "max"),
    readings=[{"beyond": "zero"}],
)
def roi_align(
    data: np.ndarray,
    rois: np.ndarray,
    batch_indices: np.ndarray,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    mode: Literal["max", "avg"],
    aligned_mode: _AlignedMode = "asymmetric",
    beyond: _Beyond = "edge",
) -> np.ndarray:
    """Averages, or maxima, of interpolated points in the bins of boxes.

    data [N, C, H, W], rois [NUM_ROIS, 4] of (x_1, y_1, x_2, y_2), batch_indices [NUM_ROIS] -> float64
    [NUM_ROIS, C, pooled_h, pooled_w]. The page leaves open what the map is ``beyond`` its edge. Raises ValueError for
    other shapes, for an image that there is not, and for numbers below those of the page.
    """
    checked("ROIAlign", data, rois, 4, spatial_scale, batch_indices)
    numbers_from("ROIAlign", 1, pooled_h=pooled_h, pooled_w=pooled_w)
    numbers_from("ROIAlign", 0, sampling_ratio=sampling_ratio)
    batch = images("ROIAlign", batch_indices, len(data))
    points = _sampled(
        data,
        rois.astype(np.float64),
        batch,
        pooled_h,
        pooled_w,
        sampling_ratio,
        spatial_scale,
        aligned_mode,
        beyond,
    )
    pool = points.largest if mode == "max" else points.average
    return pool(points.of(data.astype(np.float64)))
