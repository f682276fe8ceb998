"""NonMaxSuppression (page NonMaxSuppression-9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Function, coarser, precision_of
from reference.shared.axes import one_number
from reference.shared.checks import INDEX_TYPES, IndexType


def _iou(one: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes given by their corners: [..., 4] and [..., 4] -> [...]."""
    low, high = np.maximum(one[..., :2], boxes[..., :2]), np.minimum(one[..., 2:], boxes[..., 2:])
    shared = np.prod(np.maximum(high - low, 0), axis=-1)
    areas = [np.prod(each[..., 2:] - each[..., :2], axis=-1) for each in (one, boxes)]
    return shared / (areas[0] + areas[1] - shared)


@dataclass(frozen=True)
class _Layer:
    """boxes [num_batches, num_boxes, 4] as y1 <= y2 and x1 <= x2, scores [num_batches, num_classes, num_boxes]."""

    corners: np.ndarray
    scores: np.ndarray
    limit: int
    iou_threshold: float
    score_threshold: float
    sigma: float

    @property
    def most(self) -> int:
        """The most boxes of one class."""
        return max(min(self.scores.shape[2], self.limit), 0)

    @property
    def ulps(self) -> float:
        """The error of a score of Soft-NMS: for each box a product, an exp (3), its argument of up to 0.5/sigma."""
        return self.most * (3.5 + 1 / self.sigma) if self.sigma else 0.0

    def select(
        self, preferred: np.ndarray | None = None, tolerance: float = 0.0, drops_zero: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The boxes that are selected for each class of each batch element, in order, and their scores.

        Both [num_batches, num_classes, most], -1 for none. ``preferred``, such an array, gives the box to select among
        boxes whose scores differ by at most ``tolerance`` (relative). ``drops_zero``: a box whose score becomes 0 is
        removed.
        """
        scores_left = self.scores.copy()
        batch, kind = np.ogrid[tuple(map(slice, scores_left.shape[:2]))]
        active, remaining = np.ones(scores_left.shape[:2], bool), np.ones(scores_left.shape, bool)
        selected = np.full((*active.shape, self.most), -1)
        values = np.full(selected.shape, -1.0)
        for step in range(self.most):
            current = np.where(remaining, scores_left, -np.inf)
            box, best = np.argmax(current, axis=-1), np.max(current, axis=-1)
            enough = best >= self.score_threshold
            if preferred is not None:
                wanted = preferred[:, :, step]
                room = tolerance * np.nan_to_num(np.abs(best), posinf=0.0)
                is_close = (wanted >= 0) & (current[batch, kind, wanted] >= best - room)
                box = np.where(is_close, wanted, box)
                distance = np.abs(best - self.score_threshold)
                is_near = distance < tolerance * np.abs(self.score_threshold)
                enough = np.where(is_near, wanted >= 0, enough)
            active &= enough & (best > -np.inf)
            if not active.any():
                break
            selected[:, :, step] = np.where(active, box, -1)
            values[:, :, step] = np.where(active, scores_left[batch, kind, box], -1)
            remaining[batch, kind, box] = False
            iou = _iou(self.corners[batch, box][:, :, None, :], self.corners[:, None, :, :])
            kept = (iou <= self.iou_threshold) * 1.0
            weight = np.exp(-0.5 * iou * iou / self.sigma) if self.sigma else kept
            scores_left = scores_left * weight
            if drops_zero:
                remaining &= weight > 0
        return selected, values


def _layer(
    boxes: np.ndarray, scores: np.ndarray, numbers: Sequence[np.ndarray | None], box_encoding: str
) -> _Layer:
    """``numbers`` are the inputs of one number each, None or missing for those left out."""
    boxes = boxes.astype(np.float64)
    if box_encoding == "center":
        x, y, width, height = np.moveaxis(boxes, -1, 0)
        corners = np.stack([y - height / 2, x - width / 2, y + height / 2, x + width / 2], axis=-1)
    else:
        first, second = boxes[..., :2], boxes[..., 2:]
        corners = np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)
    # Left out, the second keeps all boxes.
    names = ("max_output_boxes_per_class", "iou_threshold", "score_threshold", "soft_nms_sigma")
    defaults = (0.0, np.inf, 0.0, 0.0)
    limit, *others = (
        default if given is None else float(one_number(given, f"NonMaxSuppression-9: {name}"))
        for name, default, given in zip(
            names, defaults, [*numbers, *[None] * (4 - len(numbers))], strict=True
        )
    )
    return _Layer(corners, scores.astype(np.float64), int(limit), *others)


def _of(call: Call) -> _Layer:
    encoding = call.attributes.get("box_encoding", "corner")
    return _layer(call.reals(0), call.reals(1), call.inputs[2:], encoding)


def _rows(
    selected: np.ndarray, values: np.ndarray, kind: np.dtype, order: np.ndarray | None = None
) -> Arrays:
    """The three outputs; ``order`` None as selected, batch by batch, class by class."""
    chosen = np.argwhere(selected >= 0)
    indices = np.column_stack([chosen[:, :2], selected[selected >= 0]])
    scores = np.column_stack([chosen[:, :2], values[selected >= 0]])
    if order is not None:
        indices, scores = indices[order], scores[order]
    return indices.astype(kind), scores.astype(np.float64), np.array([len(indices)], kind)


def _descending(values: np.ndarray, selected: np.ndarray) -> np.ndarray:
    return np.argsort(-values[selected >= 0], kind="stable")


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Differences that are admissible: the order of equal scores, which those of Soft-NMS are within their errors;
    whether a suppressed box, whose score is 0, is selected if score_threshold is not above 0; rows of -1 up to the
    upper bound of the shape.
    """
    given, kind = actual[0], call.outputs[0].dtype
    if given.ndim != 2 or given.shape[1] != 3:
        return call.outputs
    layer = _of(call)
    rows = given[~np.all(given == -1, axis=1)].astype(np.int64)
    preferred = _preferred(rows, layer.scores.shape)
    if preferred is None:
        return call.outputs
    working = coarser(call.precision(1), precision_of(call.array(0).dtype))
    tolerance = layer.ulps * working.epsilon
    for drops_zero in (False, True):
        selected, values = layer.select(preferred, tolerance, drops_zero)
        found = _rows(selected, values, kind)
        order = _order_of(rows, found[0])
        if order is None:
            continue
        ordered = found[1][order, 2]
        if not call.attributes.get("sort_result_descending", True):
            order = None
        elif np.any(ordered[1:] > ordered[:-1] * (1 + tolerance)):
            order = _descending(values, selected)
        indices, scores, valid = _rows(selected, values, kind, order)
        if len(given) == selected.size:
            missing = ((0, selected.size - len(indices)), (0, 0))
            indices, scores = (np.pad(v, missing, constant_values=-1) for v in (indices, scores))
        return indices, scores, valid
    return call.outputs


def _preferred(rows: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray | None:
    """The actual boxes [num_batches, num_classes, num_boxes] in order, -1 for none; None if they are not valid."""
    if np.any(rows < 0) or np.any(rows >= sizes):
        return None
    preferred = np.full(sizes, -1)
    used = np.zeros(sizes[:2], int)
    for batch, kind, box in rows:
        if used[batch, kind] == sizes[2]:
            return None
        preferred[batch, kind, used[batch, kind]] = box
        used[batch, kind] += 1
    return preferred


def _order_of(rows: np.ndarray, own_rows: np.ndarray) -> np.ndarray | None:
    """The permutation of ``own_rows`` that gives ``rows``; None if they are not the same rows."""
    first, second = np.lexsort(rows.T), np.lexsort(own_rows.T)
    if not np.array_equal(rows[first], own_rows[second]):
        return None
    order = np.empty(len(rows), int)
    order[first] = second
    return order


_SCORES = Function(k=lambda call: _of(call).ulps, quality_k=lambda call: _of(call).ulps)


@implements(
    "NonMaxSuppression-9",
    accuracy=(Choice(_nearest), Choice(_nearest, within=_SCORES), Choice(_nearest)),
)
def non_max_suppression(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_boxes_per_class: np.ndarray | None = None,
    iou_threshold: np.ndarray | None = None,
    score_threshold: np.ndarray | None = None,
    soft_nms_sigma: np.ndarray | None = None,
    *,
    box_encoding: Literal["corner", "center"] = "corner",
    sort_result_descending: bool = True,
    output_type: IndexType = "i64",
) -> Arrays:
    """The boxes that are not suppressed by a box of their class with a higher score.

    boxes [num_batches, num_boxes, 4], scores [num_batches, num_classes, num_boxes], the rest one number each ->
    (batch_index, class_index, box_index) of n boxes [n, 3], (batch_index, class_index, score) [n, 3], n [1]. Their
    order is by batch, class and descending score, or by descending score alone. Raises ValueError where shapes or
    values do not fit.
    """
    shapes = boxes.shape, scores.shape
    if [len(each) for each in shapes] != [3, 3] or shapes[0] != (len(scores), shapes[1][2], 4):
        raise ValueError(
            "NonMaxSuppression-9: boxes must be [num_batches, num_boxes, 4] and scores [num_batches, num_classes, "
            f"num_boxes], got {list(boxes.shape)} and {list(scores.shape)}"
        )
    numbers = (max_output_boxes_per_class, iou_threshold, score_threshold, soft_nms_sigma)
    selected, values = _layer(boxes, scores, numbers, box_encoding).select()
    order = _descending(values, selected) if sort_result_descending else None
    return _rows(selected, values, INDEX_TYPES[output_type], order)
