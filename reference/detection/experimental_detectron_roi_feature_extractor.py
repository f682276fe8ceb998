"""ExperimentalDetectronROIFeatureExtractor (page ExperimentalDetectronROIFeatureExtractor-6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, Arithmetic, Bounds, Call, Precision
from reference.shared.regions import Points, Sampled, aligned_points, numbers_from

_NAME = "ExperimentalDetectronROIFeatureExtractor-6"
_Beyond = Literal["edge", "zero"]
_Least = Literal["one", "one_unless_aligned"]


def _levels(rois: np.ndarray, count: int) -> np.ndarray:
    """The layer of a pyramid of ``count`` that each box [R, 4] is taken from; the first for one without area."""
    width, height = (rois[:, 2:] - rois[:, :2]).T
    with np.errstate(all="ignore"):
        level = np.floor(2 + np.log2(np.sqrt(width * height) / 224))
    return np.nan_to_num(level, posinf=count, neginf=0).clip(0, count - 1).astype(np.int64)


def _points(
    layer: np.ndarray,
    rois: np.ndarray,
    scale: int,
    output_size: int,
    sampling_ratio: int,
    aligned: bool,
    beyond: _Beyond,
    least: str,
) -> Points:
    return aligned_points(
        (layer.shape[2], layer.shape[3]),
        layer.shape[1],
        np.zeros(len(rois), np.int64),
        rois,
        (output_size, output_size),
        sampling_ratio,
        scale=1 / scale,
        shift=-0.5 * aligned,
        least=0.0 if aligned and least == "one_unless_aligned" else 1.0,
        beyond=beyond,
    )


def _silent(call: Call) -> np.ndarray:
    """Boxes that are inverted or have no size."""
    rois = call.reals(0)
    return np.any(rois[:, 2:] <= rois[:, :2], axis=1).reshape(-1, 1, 1, 1)


def _given(points: Points, call: Call) -> Points:
    return points


@dataclass(frozen=True)
class _OfLevels(Arithmetic):
    """The bounds of ``Sampled`` for the boxes of each layer of the pyramid."""

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bounds of all boxes together."""
        exact, rois = call.outputs[output_index], call.reals(0)
        bound, quality = np.zeros(exact.shape), np.zeros(exact.shape)
        free = np.zeros(exact.shape, bool)
        levels = _levels(rois, len(call.inputs) - 1)
        attributes = call.attributes
        for level in np.unique(levels):
            mine = levels == level
            points = _points(
                call.array(1 + level),
                rois[mine],
                attributes["pyramid_scales"][level],
                attributes["output_size"],
                attributes["sampling_ratio"],
                attributes.get("aligned", False),
                attributes.get("beyond", "edge"),
                attributes.get("least", "one"),
            )
            part = replace(call, inputs=[call.array(1 + level)], outputs=(exact[mine],), cache={})
            found = Sampled(partial(_given, points)).real_bounds(part, 0, own, working)
            bound[mine], quality[mine], free[mine] = found.bound, found.quality, found.free
        return Bounds(bound, quality, free=free)


@implements(
    "ExperimentalDetectronROIFeatureExtractor-6",
    accuracy=(_OfLevels(silent=_silent), UNROUNDED),
    readings=[
        {"beyond": "zero"},
        {"least": "one_unless_aligned"},
        {"beyond": "zero", "least": "one_unless_aligned"},
    ],
)
def experimental_detectron_roi_feature_extractor(
    rois: np.ndarray,
    *pyramid: np.ndarray,
    output_size: int,
    sampling_ratio: int,
    pyramid_scales: Sequence[int],
    aligned: bool = False,
    beyond: _Beyond = "edge",
    least: _Least = "one",
) -> tuple[np.ndarray, np.ndarray]:
    """Averages of points in boxes, each from the layer of a pyramid that suits its size; and the boxes by layer.

    rois [R, 4] of (x_1, y_1, x_2, y_2) in pixels of the image, pyramid of [1, C, H_l, W_l] -> float64
    [R, C, output_size, output_size], in the order of rois, and rois in the order of their layers. The page leaves open
    what a map is ``beyond`` its edge, and whether the ``least`` size is that of an aligned box too. Raises ValueError
    for other shapes, for fewer scales than layers, and for numbers below those of the page.
    """
    numbers_from(_NAME, 1, output_size=output_size)
    numbers_from(_NAME, 0, sampling_ratio=sampling_ratio)
    shapes = [each.shape for each in pyramid]
    if rois.ndim != 2 or rois.shape[1] != 4 or any(len(shape) != 4 for shape in shapes):
        raise ValueError(
            f"{_NAME}: rois must be [R, 4] and layers [1, C, H, W], got {rois.shape} and {shapes}"
        )
    if len(pyramid_scales) < len(pyramid) or min(pyramid_scales) < 1:
        raise ValueError(
            f"{_NAME}: there must be {len(pyramid)} positive scales, got {pyramid_scales}"
        )
    images = {
        (shape[0] == 1, shape[1], shape[2] * scale, shape[3] * scale)
        for shape, scale in zip(shapes, pyramid_scales, strict=False)
    }
    if len(images) != 1 or not all(next(iter(images))[::2]):
        raise ValueError(
            f"{_NAME}: layers must be of one image, divided by {pyramid_scales}, got {shapes}"
        )
    boxes = rois.astype(np.float64)
    levels = _levels(boxes, len(pyramid))
    found = np.zeros((len(rois), shapes[0][1], output_size, output_size))
    for level in np.unique(levels):
        layer, mine = pyramid[level], levels == level
        points = _points(
            layer,
            boxes[mine],
            pyramid_scales[level],
            output_size,
            sampling_ratio,
            aligned,
            beyond,
            least,
        )
        found[mine] = points.average(points.of(layer.astype(np.float64)))
    return found, rois[np.argsort(levels, kind="stable")]
