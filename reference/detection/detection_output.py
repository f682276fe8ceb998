"""DetectionOutput (pages DetectionOutput-1 and -8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice
from reference.shared.detected import Decoded, Kept, arguments, coordinates

Code = Literal["caffe.PriorBoxParameter.CENTER_SIZE", "caffe.PriorBoxParameter.CORNER"]
CORNER: Code = "caffe.PriorBoxParameter.CORNER"


@dataclass(frozen=True)
class _DetectionLayer:
    """The parameters of ``detection_output``."""

    box_logits: np.ndarray
    class_predictions: np.ndarray
    proposals: np.ndarray
    additional_class_predictions: np.ndarray | None
    additional_box_predictions: np.ndarray | None
    nms_threshold: float
    keep_top_k: Sequence[int]
    num_classes: int | None
    background_label_id: int
    top_k: int
    variance_encoded_in_target: bool
    code_type: str
    share_location: bool
    confidence_threshold: float | None
    clip_after_nms: bool
    clip_before_nms: bool
    decrease_label_id: bool
    normalized: bool
    input_height: int
    input_width: int
    objectness_score: float
    limits_candidates: bool
    at_threshold: bool
    four_variances: bool

    @property
    def width(self) -> int:
        """prior_box_size."""
        return 4 if self.normalized else 5

    @property
    def priors(self) -> int:
        """num_prior_boxes."""
        return int(self.proposals.shape[2]) // self.width

    @property
    def classes(self) -> int:
        """num_classes."""
        if self.num_classes is not None:
            return self.num_classes
        return int(self.class_predictions.shape[-1]) // max(self.priors, 1)

    @property
    def places(self) -> int:
        """num_loc_classes."""
        return 1 if self.share_location else self.classes

    def check(self) -> None:
        """Raises ValueError where shapes or values do not fit."""
        given = [self.box_logits, self.class_predictions, self.proposals]
        extra = [self.additional_class_predictions, self.additional_box_predictions]
        ranks = [np.ndim(each) for each in given]
        if ranks != [2, 2, 3]:
            raise ValueError(f"DetectionOutput: inputs must have the ranks 2, 2 and 3, got {ranks}")
        batches, priors, classes = len(self.box_logits), self.priors, self.classes
        rows = 1 if self.variance_encoded_in_target else 2
        wanted = [
            (batches, priors * self.places * 4),
            (batches, priors * classes),
            (self.proposals.shape[0], rows, priors * self.width),
        ]
        if any(each is not None for each in extra):
            given += [np.empty(0) if each is None else each for each in extra]
            wanted += [(batches, priors * 2), wanted[0]]
        shapes = [each.shape for each in given]
        if shapes != wanted or self.proposals.shape[0] not in (1, batches):
            raise ValueError(f"DetectionOutput: the shapes must be {wanted}, got {shapes}")
        if min(classes, self.input_height, self.input_width) < 1 or self.objectness_score < 0:
            raise ValueError(
                "DetectionOutput: num_classes and sizes must be positive, objectness_score not negative"
            )

    @cached_property
    def decoded(self) -> Decoded:
        """The boxes [N, num_loc_classes, num_prior_boxes, 4]; refined twice where there are additional ones."""
        numbers = self.proposals.astype(np.float64)
        own = numbers[:, 0].reshape(len(numbers), 1, self.priors, self.width)[..., -4:]
        found = Decoded(own, np.zeros(own.shape))
        if not self.normalized:
            own = own / np.array([self.input_width, self.input_height] * 2)
            found = Decoded(own, 1.5 * np.abs(own))
        variances = np.ones(4)
        if not self.variance_encoded_in_target:
            width = 4 if self.four_variances else self.width
            four = numbers[:, 1, : self.priors * width].reshape(len(numbers), 1, self.priors, width)
            variances = four[..., -4:]
        sizes = (len(self.box_logits), self.priors, self.places, 4)
        for logits in (self.additional_box_predictions, self.box_logits):
            if logits is not None:
                placed = logits.reshape(sizes).swapaxes(1, 2)
                offsets = placed.astype(np.float64) * variances
                is_corner = self.code_type == CORNER
                found = found.moved(offsets) if is_corner else found.resized(offsets)
        return found

    @property
    def scores(self) -> np.ndarray:
        """The scores [N, num_classes, num_prior_boxes], -inf for boxes that are not considered."""
        batches = len(self.box_logits)
        sizes = (batches, self.priors, self.classes)
        found = self.class_predictions.reshape(sizes).swapaxes(1, 2).astype(np.float64)
        is_out = np.zeros(found.shape, bool)
        if self.confidence_threshold is not None:
            is_out |= found <= self.confidence_threshold
        if self.additional_class_predictions is not None:
            objects = self.additional_class_predictions.reshape(batches, 1, self.priors, 2)[..., 1]
            is_out |= objects < self.objectness_score
        is_out |= (np.arange(self.classes) == self.background_label_id)[:, None]
        found = np.where(is_out, -np.inf, found)
        if self.decrease_label_id:
            found = np.where(found == found.max(axis=1, keepdims=True), found, -np.inf)
        return found

    @cached_property
    def kept(self) -> Kept:
        """The boxes that are left."""
        clipped = self.decoded.clipped(1.0)
        return Kept(
            self.scores,
            clipped if self.clip_before_nms or self.clip_after_nms else self.decoded,
            (clipped if self.clip_before_nms else self.decoded).values,
            self.nms_threshold,
            self.keep_top_k[0],
            self.top_k,
            limits_candidates=self.limits_candidates,
            at_threshold=self.at_threshold,
        )

    @property
    def moved(self) -> np.ndarray:
        """What is added to the columns of a row of the boxes that are left."""
        return np.array([0.0, -1.0 if self.decrease_label_id else 0.0, 0, 0, 0, 0, 0])

    @property
    def count(self) -> int:
        """The rows of the output."""
        batches = len(self.box_logits)
        if self.keep_top_k[0] > 0:
            return batches * self.keep_top_k[0]
        return batches * self.classes * (self.top_k if self.top_k > 0 else self.priors)

    def output(self, given: np.ndarray | None = None) -> np.ndarray:
        """The output [1, 1, rows, 7]; see ``Kept.rows``. Behind the end of the rows it has NaN."""
        rows = self.kept.rows(None if given is None else given - self.moved) + self.moved
        found = np.full((1, 1, self.count, 7), np.nan)
        found[0, 0, : len(rows)] = rows
        if len(rows) < self.count:
            found[0, 0, len(rows), 0] = -1
        return found


def _of(call: Call) -> _DetectionLayer:
    return _DetectionLayer(**arguments(call, detection_output))


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Open are the order of rows, and that of equal scores."""
    if actual[0].shape != call.outputs[0].shape:
        return call.outputs
    given = actual[0].astype(np.float64)
    found = _of(call).output(given[0, 0])
    return (np.where(np.isnan(found), given, found),)


def _errors(call: Call) -> np.ndarray:
    layer = _of(call)
    errors = layer.kept.errors(call.outputs[0][0, 0] - layer.moved)
    return np.concatenate([np.zeros((len(errors), 3)), errors], axis=1)


# Batch, class and score are copied; the coordinates have the errors of the steps that decode them.
_ACCURACY = Choice(_nearest, coordinates(_errors, silent=lambda call: np.isnan(call.outputs[0])))
_READINGS = [{"limits_candidates": True}, {"at_threshold": True}, {"four_variances": True}]


@implements("DetectionOutput-8", accuracy=_ACCURACY, readings=_READINGS)
def detection_output(
    box_logits: np.ndarray,
    class_predictions: np.ndarray,
    proposals: np.ndarray,
    additional_class_predictions: np.ndarray | None = None,
    additional_box_predictions: np.ndarray | None = None,
    *,
    nms_threshold: float,
    keep_top_k: Sequence[int],
    num_classes: int | None = None,
    background_label_id: int = 0,
    top_k: int = -1,
    variance_encoded_in_target: bool = False,
    code_type: Code = CORNER,
    share_location: bool = True,
    confidence_threshold: float | None = None,
    clip_after_nms: bool = False,
    clip_before_nms: bool = False,
    decrease_label_id: bool = False,
    normalized: bool = False,
    input_height: int = 1,
    input_width: int = 1,
    objectness_score: float = 0.0,
    limits_candidates: bool = False,
    at_threshold: bool = False,
    four_variances: bool = False,
) -> np.ndarray:
    """(batch_id, class_id, confidence, x_1, y_1, x_2, y_2) of the boxes that are left: [1, 1, rows, 7], float64.

    box_logits [N, P * num_loc_classes * 4], class_predictions [N, P * num_classes], proposals [1 or N, 2, P * 4]; with
    variances in the target [1 or N, 1, P * 4]; not normalized, P * 5. The additional ones are [N, P * 2] and as
    box_logits. Behind the rows stands one with batch_id -1, and then anything: NaN. ``limits_candidates``: top_k cuts
    before the suppression; ``at_threshold``: an overlap of nms_threshold suppresses; ``four_variances``: the variances
    of boxes of five numbers stand side by side. Raises ValueError where shapes or values do not fit.
    """
    layer = _DetectionLayer(**locals())
    layer.check()
    return layer.output()


@implements("DetectionOutput-1", accuracy=_ACCURACY, readings=_READINGS)
def detection_output_1(
    *inputs: Any, num_classes: int, code_type: Code = CORNER, **attributes: Any
) -> np.ndarray:
    """``detection_output``, with the number of classes."""
    found: np.ndarray = detection_output(
        *inputs, num_classes=num_classes, code_type=code_type, **attributes
    )
    return found
