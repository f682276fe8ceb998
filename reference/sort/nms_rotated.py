"""NMSRotated (page NMSRotated-13)."""

from collections.abc import Callable, Sequence

import numpy as np

from reference import implements
from reference.accuracy import DECIDED, UNROUNDED, Arrays, Call, Choice
from reference.shared.axes import one_number
from reference.shared.boxes import rotated_iou
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.suppression import Suppression, Triplets, require_boxes

_NAME = "NMSRotated-13"


def _triplets(
    inputs: Sequence[np.ndarray | None],
    sort_result_descending: bool,
    output_type: str,
    clockwise: bool,
) -> Triplets:
    """The outputs of a layer. Raises ValueError where shapes or values do not fit."""
    boxes, scores = require_boxes(_NAME, inputs[0], inputs[1], 5)
    names = ("max_output_boxes_per_class", "iou_threshold", "score_threshold")
    limit, iou_threshold, score_threshold = (
        float(one_number(np.asarray(given), f"{_NAME}: {name}"))
        for given, name in zip(inputs[2:], names, strict=True)
    )
    # The y axis points downwards, so that clockwise is from x to y.
    turned = boxes * [1, 1, 1, 1, 1 if clockwise else -1]
    suppression = Suppression(
        scores,
        _overlaps(turned),
        int(limit),
        score_threshold,
        lambda overlap, _: (overlap <= iou_threshold) * 1.0,
    )
    return Triplets(suppression, sort_result_descending, INDEX_TYPES[output_type])


def _overlaps(boxes: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The IOU of one box of each class, [num_batches, num_classes], and all boxes of its batch element."""
    batches, count = boxes.shape[:2]
    if not boxes.size:
        return lambda box: np.zeros((*box.shape, count))
    # Batch elements of the same boxes have the same ones.
    rows, which = np.unique(boxes.reshape(batches, -1), axis=0, return_inverse=True)
    alike = rows.reshape(-1, count, 5)
    overlaps = rotated_iou(alike[:, :, None], alike[:, None])
    return lambda box: overlaps[which.reshape(-1, 1), box]


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """See ``Triplets.nearest``."""
    usual = {"sort_result_descending": True, "output_type": "i64", "clockwise": True}
    return _triplets(call.inputs, **{**usual, **call.attributes}).nearest(actual[0], call.outputs)


# Scores are those of boxes: nothing is computed.
@implements(
    "NMSRotated-13",
    accuracy=(Choice(_nearest, DECIDED), Choice(_nearest, UNROUNDED), Choice(_nearest, DECIDED)),
)
def nms_rotated(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_boxes_per_class: np.ndarray,
    iou_threshold: np.ndarray,
    score_threshold: np.ndarray,
    *,
    sort_result_descending: bool = True,
    output_type: IndexType = "i64",
    clockwise: bool = True,
) -> Arrays:
    """The rotated boxes that are not suppressed by a box of their class with a higher score.

    boxes [num_batches, num_boxes, 5] as (x_center, y_center, width, height, angle in radians), scores [num_batches,
    num_classes, num_boxes], the rest one number each -> (batch_index, class_index, box_index) of n boxes [n, 3],
    (batch_index, class_index, score) [n, 3], n [1]; by descending score, or by batch and class. Raises ValueError
    where shapes do not fit.
    """
    inputs = (boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold)
    return _triplets(inputs, sort_result_descending, output_type, clockwise).outputs()
