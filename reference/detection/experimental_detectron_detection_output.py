"""ExperimentalDetectronDetectionOutput (page ExperimentalDetectronDetectionOutput-6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Decided, Rounded
from reference.shared.detected import Decoded, Kept, arguments, coordinates

_NAME = "ExperimentalDetectronDetectionOutput"


@dataclass(frozen=True)
class _DetectronLayer:
    """The parameters of ``experimental_detectron_detection_output``."""

    rois: np.ndarray
    deltas: np.ndarray
    scores: np.ndarray
    image_size: np.ndarray
    score_threshold: float
    nms_threshold: float
    num_classes: int
    post_nms_count: int
    max_detections_per_image: int
    max_delta_log_wh: float
    deltas_weights: Sequence[float]
    class_agnostic_box_regression: bool
    clips_to_size: bool
    sides_without_end: bool
    at_threshold: bool

    def check(self) -> None:
        """Raises ValueError where shapes or values do not fit."""
        given = (self.rois, self.deltas, self.scores, self.image_size)
        count, classes = len(self.rois), self.num_classes
        wanted = [(count, 4), (count, 4 * classes), (count, classes), (1, 3)]
        shapes = [np.shape(each) for each in given]
        if shapes != wanted:
            raise ValueError(f"{_NAME}: the shapes must be {wanted}, got {shapes}")
        if len(self.deltas_weights) != 4:
            raise ValueError(f"{_NAME}: deltas_weights must be 4, got {self.deltas_weights}")
        counts = (classes, self.post_nms_count, self.max_detections_per_image)
        if min(*counts, self.score_threshold, self.nms_threshold, *self.deltas_weights) < 0:
            raise ValueError(f"{_NAME}: numbers, thresholds and weights must not be negative")

    @cached_property
    def kept(self) -> Kept:
        """The boxes that are left, of one batch element."""
        own = self.rois.astype(np.float64)[None, None]
        deltas = self.deltas.astype(np.float64).reshape(len(self.rois), self.num_classes, 4)
        offsets = deltas.swapaxes(0, 1)[None] / np.array(self.deltas_weights)
        offsets[..., 2:] = np.minimum(offsets[..., 2:], self.max_delta_log_wh)
        height, width = self.image_size.astype(np.float64)[0, :2]
        last = np.array([width, height, width, height]) - (0.0 if self.clips_to_size else 1.0)
        refined = Decoded(own, np.zeros(own.shape)).resized(offsets, extent=1.0).clipped(last)
        scores = self.scores.astype(np.float64).T[None]
        is_out = scores <= self.score_threshold
        if self.class_agnostic_box_regression:
            is_out[:, :1] = True
        return Kept(
            np.where(is_out, -np.inf, scores),
            refined,
            refined.values,
            self.nms_threshold,
            self.max_detections_per_image,
            self.post_nms_count,
            extent=0.0 if self.sides_without_end else 1.0,
            at_threshold=self.at_threshold,
        )

    def outputs(self, given: np.ndarray | None = None) -> Arrays:
        """The outputs; see ``Kept.rows``. What the page leaves undefined is NaN, and -1 for classes."""
        rows = self.kept.rows(given)
        found = np.full((self.max_detections_per_image, 7), np.nan)
        found[:, 1] = -1
        found[: len(rows)] = rows
        return found[:, 3:], found[:, 1].astype(np.int32), found[:, 2]


def _of(call: Call) -> _DetectronLayer:
    return _DetectronLayer(**arguments(call, experimental_detectron_detection_output))


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Open are the order of detections, and that of equal scores."""
    if [each.shape for each in actual] != [each.shape for each in call.outputs]:
        return call.outputs
    given = _rows(actual)
    boxes, classes, scores = _of(call).outputs(given)
    is_open = np.isnan(scores)
    return (
        np.where(is_open[:, None], given[:, 3:], boxes),
        np.where(is_open, actual[1], classes),
        np.where(is_open, given[:, 2], scores),
    )


def _rows(outputs: Sequence[np.ndarray]) -> np.ndarray:
    """The three outputs as rows (0, class, score, x_1, y_1, x_2, y_2)."""
    boxes, classes, scores = (each.astype(np.float64) for each in outputs)
    return np.column_stack([np.zeros(len(boxes)), classes, scores, boxes])


def _errors(call: Call) -> np.ndarray:
    return _of(call).kept.errors(_rows(call.outputs))


def _silent(call: Call) -> np.ndarray:
    return np.isnan(call.outputs[2])


@implements(
    "ExperimentalDetectronDetectionOutput-6",
    # Scores are copied; the coordinates have the errors of the steps that refine them.
    accuracy=(
        Choice(_nearest, coordinates(_errors, silent=lambda call: _silent(call)[:, None])),
        Choice(_nearest, Decided(silent=_silent)),
        Choice(_nearest, Rounded(bound=0, quality=0, silent=_silent)),
    ),
    readings=[{"clips_to_size": True}, {"sides_without_end": True}, {"at_threshold": True}],
)
def experimental_detectron_detection_output(
    rois: np.ndarray,
    deltas: np.ndarray,
    scores: np.ndarray,
    image_size: np.ndarray,
    *,
    score_threshold: float,
    nms_threshold: float,
    num_classes: int,
    post_nms_count: int,
    max_detections_per_image: int,
    max_delta_log_wh: float,
    deltas_weights: Sequence[float],
    class_agnostic_box_regression: bool = False,
    clips_to_size: bool = False,
    sides_without_end: bool = False,
    at_threshold: bool = False,
) -> Arrays:
    """Boxes [m, 4], classes [m] and scores [m] of the detections that are left, m max_detections_per_image.

    rois [R, 4] as (x_1, y_1, x_2, y_2), deltas [R, 4 * num_classes], scores [R, num_classes], image_size [1, 3]
    (height, width, scale). Behind the detections all is undefined: NaN, and classes -1. ``clips_to_size``: coordinates
    up to the size of the image, not the last pixel; ``sides_without_end``: without the last pixel where boxes are
    compared; ``at_threshold``: an overlap of nms_threshold suppresses. Raises ValueError where shapes or values do not
    fit.
    """
    layer = _DetectronLayer(**locals())
    layer.check()
    return layer.outputs()
