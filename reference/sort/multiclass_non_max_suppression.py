"""MulticlassNonMaxSuppression (pages MulticlassNonMaxSuppression-8 and -9)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from reference import implements
from reference.accuracy import DECIDED, UNROUNDED, Arrays, Call, Choice
from reference.shared.boxes import iou
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.detections import Detections, Selection, SortResult, candidates
from reference.shared.suppression import Suppression, overlap_of, require_boxes


@dataclass(frozen=True)
class _MulticlassLayer:
    """boxes [num_batches, num_classes or 1, num_boxes, 4]; scores [num_batches, num_classes, num_boxes], or -inf."""

    boxes: np.ndarray
    scores: np.ndarray
    indices: np.ndarray
    attributes: Mapping[str, Any]

    @property
    def detections(self) -> Detections:
        """What becomes of selected boxes."""
        given = self.attributes
        return Detections(
            self.boxes,
            self.indices,
            given["sort_result"],
            given["sort_result_across_batch"],
            given["keep_top_k"],
            INDEX_TYPES[given["output_type"]],
        )

    def suppression(self, extent: float, preferred: np.ndarray | None = None) -> Suppression:
        """The boxes of each class, whose sides are longer by ``extent`` than the differences of coordinates."""
        given = self.attributes
        count = self.scores.shape[2]
        thresholds, threshold = [], given["iou_threshold"]
        for _ in range(count):
            if given["nms_eta"] < 1 and threshold > 0.5:
                threshold *= given["nms_eta"]
            thresholds.append(threshold)
        return Suppression(
            candidates(self.scores, given["background_class"], given["nms_top_k"], preferred),
            overlap_of(self.boxes, partial(iou, extent=extent)),
            count,
            given["score_threshold"],
            lambda overlap, step: (overlap <= thresholds[step]) * 1.0,
        )

    @property
    def extents(self) -> tuple[float, ...]:
        """What a side may be longer than the difference of its coordinates."""
        return (0.0,) if self.attributes["normalized"] else (1.0, 0.0)

    def outputs(self) -> Arrays:
        """The outputs in the first reading of the page."""
        found, scores = self.suppression(self.extents[0]).select()
        return self.detections.outputs(found, scores, np.arange(len(found)))

    def selections(self, preferred: np.ndarray) -> Iterator[Selection]:
        """What the page admits, for (batch, class, box) [m, 3] that a device selected."""
        for extent in self.extents:
            yield from self.suppression(extent, preferred).selections(preferred)


def _layer(
    name: str,
    boxes: np.ndarray,
    scores: np.ndarray,
    roisnum: np.ndarray | None,
    attributes: Mapping[str, Any],
) -> _MulticlassLayer:
    """Raises ValueError where shapes or values do not fit."""
    if not 0 <= attributes["nms_eta"] <= 1:
        raise ValueError(f"{name}: nms_eta must be from 0 to 1, got {attributes['nms_eta']}")
    if roisnum is None:
        boxes, scores = require_boxes(name, boxes, scores, 4)
        indices = np.arange(boxes.shape[0] * boxes.shape[1]).reshape(len(boxes), 1, boxes.shape[1])
        return _MulticlassLayer(boxes[:, None], scores, indices, attributes)
    if np.ndim(boxes) != 3 or boxes.shape != (*scores.shape, 4) or np.ndim(roisnum) != 1:
        raise ValueError(
            f"{name}: with roisnum [num_batches] boxes must be [num_classes, num_boxes, 4] and scores [num_classes, "
            f"num_boxes], got {list(boxes.shape)} and {list(scores.shape)}"
        )
    classes, total = scores.shape
    counts = roisnum.astype(int)
    if counts.sum() != total or np.any(counts < 0):
        raise ValueError(
            f"{name}: roisnum must be numbers of boxes, {total} together, got {counts}"
        )
    # The boxes of each image, filled up with none where another image has more.
    most = int(max(counts, default=0))
    own = (
        np.full((len(counts), classes, most, 4), (0.0, 0.0, 1.0, 1.0)),
        np.full((len(counts), classes, most), -np.inf),
    )
    indices = np.full((len(counts), classes, most), -1)
    flat = np.arange(classes * total).reshape(classes, total)
    for image, (end, count) in enumerate(zip(np.cumsum(counts), counts, strict=True)):
        for to, values in zip((*own, indices), (boxes, scores, flat), strict=True):
            to[image, :, :count] = values[:, end - count : end]
    return _MulticlassLayer(*own, indices, attributes)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Open are the order of equal scores; whether a suppressed box, whose score is 0, is selected if score_threshold is
    not above 0; the order of boxes that ``sort_result`` does not fix; sides of boxes that are not normalized.
    """
    usual = {
        "sort_result": "none",
        "sort_result_across_batch": False,
        "output_type": "i64",
        "iou_threshold": 0.0,
        "score_threshold": 0.0,
        "nms_top_k": -1,
        "keep_top_k": -1,
        "background_class": -1,
        "normalized": True,
        "nms_eta": 1.0,
    }
    boxes, scores, *rest = call.inputs
    assert boxes is not None
    assert scores is not None
    roisnum = rest[0] if rest else None
    layer = _layer("", boxes, scores, roisnum, {**usual, **call.attributes})
    return layer.detections.nearest(actual, call.outputs, layer.selections)


# Coordinates and scores are those of the inputs: nothing is computed.
@implements(
    "MulticlassNonMaxSuppression-8",
    "MulticlassNonMaxSuppression-9",
    accuracy=(Choice(_nearest, UNROUNDED), Choice(_nearest, DECIDED), Choice(_nearest, DECIDED)),
)
def multiclass_non_max_suppression(
    boxes: np.ndarray,
    scores: np.ndarray,
    roisnum: np.ndarray | None = None,
    *,
    sort_result: SortResult = "none",
    sort_result_across_batch: bool = False,
    output_type: IndexType = "i64",
    iou_threshold: float = 0.0,
    score_threshold: float = 0.0,
    nms_top_k: int = -1,
    keep_top_k: int = -1,
    background_class: int = -1,
    normalized: bool = True,
    nms_eta: float = 1.0,
) -> Arrays:
    """The boxes of each class that are not suppressed by one with a higher score, at most ``keep_top_k`` of an image.

    boxes [num_batches, num_boxes, 4] as (xmin, ymin, xmax, ymax), scores [num_batches, num_classes, num_boxes]; with
    ``roisnum`` [num_batches], the numbers of boxes of each image, boxes [num_classes, num_boxes, 4] and scores
    [num_classes, num_boxes] -> (class, score, xmin, ymin, xmax, ymax) of n boxes [n, 6], their places in the flattened
    boxes [n, 1], their numbers [num_batches]. After each box the threshold, while it is above 0.5, is multiplied by
    ``nms_eta``. Boxes that are not normalized hold the pixels at both ends. Raises ValueError where shapes or values do
    not fit.
    """
    attributes = {
        "sort_result": sort_result,
        "sort_result_across_batch": sort_result_across_batch,
        "output_type": output_type,
        "iou_threshold": iou_threshold,
        "score_threshold": score_threshold,
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "background_class": background_class,
        "normalized": normalized,
        "nms_eta": nms_eta,
    }
    return _layer("MulticlassNonMaxSuppression", boxes, scores, roisnum, attributes).outputs()
