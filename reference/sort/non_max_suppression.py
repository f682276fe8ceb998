"""NonMaxSuppression (page NonMaxSuppression-9)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Function, coarser, precision_of
from reference.shared.axes import one_number
from reference.shared.checks import index_type, require_one_of


def _number(given: np.ndarray | None, name: str) -> float:
    """The value of a scalar or of a tensor [1]; 0 for one left out."""
    if given is None:
        return 0.0
    return float(one_number(given, f"NonMaxSuppression-9: {name}"))


def _corners(boxes: np.ndarray, box_encoding: str) -> np.ndarray:
    """[..., 4] as y1, x1, y2, x2 with y1 <= y2 and x1 <= x2."""
    if box_encoding == "center":
        x, y, width, height = np.moveaxis(boxes, -1, 0)
        ends = [y - height / 2, x - width / 2, y + height / 2, x + width / 2]
        return np.stack(ends, axis=-1)
    first, second = boxes[..., :2], boxes[..., 2:]
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def _iou(one: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes given by their corners: [..., 4] and [..., 4] -> [...]."""
    low, high = np.maximum(one[..., :2], boxes[..., :2]), np.minimum(one[..., 2:], boxes[..., 2:])
    shared = np.prod(np.maximum(high - low, 0), axis=-1)
    areas = [np.prod(each[..., 2:] - each[..., :2], axis=-1) for each in (one, boxes)]
    return shared / (areas[0] + areas[1] - shared)


def _select(
    corners: np.ndarray,
    scores: np.ndarray,
    limit: int,
    iou_threshold: float,
    score_threshold: float,
    sigma: float,
    preferred: np.ndarray | None = None,
    tolerance: float = 0.0,
    drops_zero: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """The boxes that are selected for each class of each batch element, in order, and their scores.

    corners [num_batches, num_boxes, 4], scores [num_batches, num_classes, num_boxes] -> both
    [num_batches, num_classes, steps], -1 for none. ``preferred``, such an array, gives the box to select among
    boxes whose scores differ by at most ``tolerance`` (relative). ``drops_zero``: a box whose score becomes 0 is
    removed.
    """
    batches, classes, count = scores.shape
    steps = min(count, limit)
    selected = np.full((batches, classes, max(steps, 0)), -1)
    values = np.full(selected.shape, -1.0)
    scores_left, active = scores.copy(), np.ones((batches, classes), bool)
    remaining = np.ones(scores.shape, bool)
    batch, kind = np.ogrid[:batches, :classes]
    for step in range(steps):
        current = np.where(remaining, scores_left, -np.inf)
        box, best = np.argmax(current, axis=-1), np.max(current, axis=-1)
        enough = best >= score_threshold
        if preferred is not None:
            box_wanted = (
                preferred[:, :, step] if step < preferred.shape[2] else np.full(box.shape, -1)
            )
            score_wanted = current[batch, kind, box_wanted]
            room = tolerance * np.nan_to_num(np.abs(best), posinf=0.0)
            close = (box_wanted >= 0) & (score_wanted >= best - room)
            box = np.where(close, box_wanted, box)
            near = np.abs(best - score_threshold) < tolerance * np.abs(score_threshold)
            enough = np.where(near, box_wanted >= 0, enough)
        active &= enough & (best > -np.inf)
        if not active.any():
            break
        selected[:, :, step] = np.where(active, box, -1)
        values[:, :, step] = np.where(active, scores_left[batch, kind, box], -1)
        remaining[batch, kind, box] = False
        iou = _iou(corners[batch, box][:, :, None, :], corners[:, None, :, :])
        weight = np.exp(-0.5 * iou * iou / sigma) if sigma else (iou <= iou_threshold) * 1.0
        scores_left = scores_left * weight
        if drops_zero:
            remaining &= weight > 0
    return selected, values


def _arguments(call: Call) -> tuple[np.ndarray, np.ndarray, int, float, float, float]:
    given = [*call.inputs, None, None, None, None]
    corners = _corners(call.reals(0), call.attributes.get("box_encoding", "corner"))
    names = ("iou_threshold", "score_threshold", "soft_nms_sigma")
    limit = int(_number(given[2], "max_output_boxes_per_class"))
    iou, score, sigma = (_number(v, n) for v, n in zip(given[3:6], names, strict=True))
    return corners, call.reals(1), limit, iou, score, sigma


def _rows(
    selected: np.ndarray, values: np.ndarray, output_type: str, order: np.ndarray | None
) -> Arrays:
    """The three outputs; ``order`` None as selected, batch by batch, class by class."""
    chosen = np.argwhere(selected >= 0)
    indices = np.column_stack([chosen[:, :2], selected[selected >= 0]])
    scores = np.column_stack([chosen[:, :2], values[selected >= 0]])
    if order is not None:
        indices, scores = indices[order], scores[order]
    kind = index_type(output_type, "NonMaxSuppression-9: output_type")
    return indices.astype(kind), scores.astype(np.float64), np.array([len(indices)], kind)


def _descending(values: np.ndarray, selected: np.ndarray) -> np.ndarray:
    return np.argsort(-values[selected >= 0], kind="stable")


def _tolerance(call: Call) -> float:
    """The relative difference of scores that a device may take for equal: those of Soft-NMS are rounded."""
    *_, sigma = _arguments(call)
    if not sigma:
        return 0.0
    assert call.inputs[0] is not None
    own = precision_of(call.inputs[0].dtype)
    return _k(call) * coarser(call.precision(1), own).epsilon


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Differences that are admissible: the order of equal scores; whether a suppressed box, whose score is 0, is
    selected if score_threshold is not above 0; rows of -1 up to the upper bound of the shape.
    """
    indices = actual[0]
    if indices.ndim != 2 or indices.shape[1] != 3:
        return call.outputs
    corners, scores, limit, iou_threshold, score_threshold, sigma = _arguments(call)
    batches, classes, count = scores.shape
    rows = indices[~np.all(indices == -1, axis=1)].astype(np.int64)
    preferred = _preferred(rows, (batches, classes, count))
    if preferred is None:
        return call.outputs
    tolerance = _tolerance(call)
    output_type = call.attributes.get("output_type", "i64")
    for drops_zero in (False, True):
        selected, values = _select(
            corners,
            scores,
            limit,
            iou_threshold,
            score_threshold,
            sigma,
            preferred,
            tolerance,
            drops_zero,
        )
        found = _rows(selected, values, output_type, None)
        order = _order_of(rows, found[0])
        if order is None:
            continue
        if call.attributes.get("sort_result_descending", True):
            ordered = found[1][order, 2]
            falls = ordered[1:] <= ordered[:-1] * (1 + tolerance)
            order = order if np.all(falls) else _descending(values, selected)
        else:
            order = None
        outputs = _rows(selected, values, output_type, order)
        bound = max(min(count, limit), 0) * batches * classes
        return _padded(outputs, bound) if len(indices) == bound else outputs
    return call.outputs


def _preferred(rows: np.ndarray, sizes: tuple[int, int, int]) -> np.ndarray | None:
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
    if rows.shape != own_rows.shape:
        return None
    first, second = np.lexsort(rows.T), np.lexsort(own_rows.T)
    if not np.array_equal(rows[first], own_rows[second]):
        return None
    order = np.empty(len(rows), int)
    order[first] = second
    return order


def _padded(outputs: Arrays, bound: int) -> Arrays:
    indices, scores, valid = outputs
    missing = ((0, bound - len(indices)), (0, 0))
    return (
        np.pad(indices, missing, constant_values=-1),
        np.pad(scores, missing, constant_values=-1),
        valid,
    )


def _k(call: Call) -> float:
    """Ulps of a score of Soft-NMS: for each selected box a product, an exp (3), its argument of up to 0.5/sigma."""
    _, scores, limit, _, _, sigma = _arguments(call)
    if not sigma:
        return 0.0
    return min(scores.shape[2], limit) * (3.5 + 1 / sigma)


@implements(
    "NonMaxSuppression-9",
    accuracy=(
        Choice(_nearest),
        Choice(_nearest, within=Function(k=_k, quality_k=_k)),
        Choice(_nearest),
    ),
)
def non_max_suppression(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_boxes_per_class: np.ndarray | None = None,
    iou_threshold: np.ndarray | None = None,
    score_threshold: np.ndarray | None = None,
    soft_nms_sigma: np.ndarray | None = None,
    *,
    box_encoding: str = "corner",
    sort_result_descending: bool = True,
    output_type: str = "i64",
) -> Arrays:
    """The boxes that are not suppressed by a box of their class with a higher score.

    boxes [num_batches, num_boxes, 4], scores [num_batches, num_classes, num_boxes], the rest one number each ->
    (batch_index, class_index, box_index) of n boxes [n, 3], (batch_index, class_index, score) [n, 3], n [1]. Their
    order is by batch, class and descending score, or by descending score alone. Raises ValueError where shapes or
    values do not fit.
    """
    require_one_of(box_encoding, ("corner", "center"), "NonMaxSuppression-9: box_encoding")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise ValueError(
            f"NonMaxSuppression-9: boxes must be [num_batches, num_boxes, 4], got {list(boxes.shape)}"
        )
    if scores.ndim != 3 or (scores.shape[0], scores.shape[2]) != boxes.shape[:2]:
        raise ValueError(
            f"NonMaxSuppression-9: scores must be [{boxes.shape[0]}, num_classes, {boxes.shape[1]}], "
            f"got {list(scores.shape)}"
        )
    selected, values = _select(
        _corners(boxes.astype(np.float64), box_encoding),
        scores.astype(np.float64),
        int(_number(max_output_boxes_per_class, "max_output_boxes_per_class")),
        _number(iou_threshold, "iou_threshold"),
        _number(score_threshold, "score_threshold"),
        _number(soft_nms_sigma, "soft_nms_sigma"),
    )
    order = _descending(values, selected) if sort_result_descending else None
    return _rows(selected, values, output_type, order)
