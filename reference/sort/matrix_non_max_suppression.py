"""MatrixNonMaxSuppression (page MatrixNonMaxSuppression-8)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import DECIDED, Arrays, Call, Choice, Function
from reference.shared.boxes import iou
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.detections import Detections, Selection, SortResult
from reference.shared.suppression import require_boxes

_USUAL = {
    "sort_result": "none",
    "sort_result_across_batch": False,
    "output_type": "i64",
    "score_threshold": 0.0,
    "nms_top_k": -1,
    "keep_top_k": -1,
    "background_class": -1,
    "normalized": True,
    "decay_function": "linear",
    "gaussian_sigma": 2.0,
    "post_threshold": 0.0,
}
# The most boxes with one score whose orders are all looked at: of more there would be too many.
_MOST_EQUAL = 4


def _permuted(order: np.ndarray, scores: np.ndarray) -> list[list[int]]:
    """The boxes of one class in every order of those with equal scores, which are side by side."""
    groups = [order[scores == score].tolist() for score in np.unique(scores)[::-1]]
    known = [score > -np.inf for score in np.unique(scores)[::-1]]
    either = [
        permutations(group) if is_known and len(group) <= _MOST_EQUAL else [group]
        for group, is_known in zip(groups, known, strict=True)
    ]
    return [[box for group in chosen for box in group] for chosen in product(*either)]


def _decay(
    boxes: np.ndarray, extent: float, decay_function: str, sigma: float, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """The factors for scores of boxes [..., n, 4] in descending order, and their largest errors: [..., n], [..., n].

    An IOU errs by 2 ε of itself. 1 - IOU has that error, and the quotient adds roundings; a gaussian has that of its
    argument, and 3 ulps of its own. What shares nothing decays exactly not at all.
    """
    with np.errstate(all="ignore"):
        x = np.triu(iou(boxes[..., :, None, :], boxes[..., None, :, :], extent), 1)
        x_cmax = x.max(axis=-2, initial=0.0)[..., :, None]
        if decay_function == "gaussian":
            factor = np.exp((x_cmax**2 - x**2) * sigma)
            error = factor * (abs(sigma) * 6 * (x_cmax**2 + x**2) + 4)
        else:
            factor = (1 - x) / (1 - x_cmax)
            # Boxes with a side below zero have a negative area, and an IOU that may be negative or above 1.
            terms = np.abs(x) + np.abs(factor * x_cmax)
            error = 2 * terms / np.abs(1 - x_cmax) + 3 * np.abs(factor)
        error = np.where((x == 0) & (x_cmax == 0), 0.0, epsilon * error)
        # The least one may be another within the errors. Of three boxes at one place one factor is no number.
        least, low, high = (
            np.fmin.reduce(each, axis=-2, initial=np.inf)
            for each in (factor, factor - error, factor + error)
        )
    return least, np.maximum(least - low, high - least)


@dataclass(frozen=True)
class _MatrixLayer:
    """boxes [num_batches, num_boxes, 4], scores [num_batches, num_classes, num_boxes]; factors err by some epsilon."""

    boxes: np.ndarray
    scores: np.ndarray
    attributes: Mapping[str, Any]
    epsilon: float = 0.0

    def detections(self, tolerance: float) -> Detections:
        """What becomes of selected boxes, whose scores have this relative error."""
        given, (batches, count, _) = self.attributes, self.boxes.shape
        return Detections(
            self.boxes[:, None],
            np.arange(batches * count).reshape(batches, 1, count),
            given["sort_result"],
            given["sort_result_across_batch"],
            given["keep_top_k"],
            INDEX_TYPES[given["output_type"]],
            tolerance,
        )

    def orders(self) -> Iterator[np.ndarray]:
        """The boxes of each class in descending order of their scores, candidates of equal ones in every order.

        [num_batches, num_classes, num_boxes], -1 behind the candidates.
        """
        given = self.attributes
        scores = np.where(self.scores > given["score_threshold"], self.scores, -np.inf)
        if given["background_class"] >= 0:
            scores[:, given["background_class"] : given["background_class"] + 1] = -np.inf
        order = np.argsort(-scores, axis=-1, kind="stable")
        ordered = np.take_along_axis(scores, order, axis=-1)
        count, most = scores.shape[2], given["nms_top_k"]
        is_out = (ordered == -np.inf) | (np.arange(count) >= (count if most < 0 else most))
        is_equal = (ordered[..., 1:] == ordered[..., :-1]) & (ordered[..., 1:] > -np.inf)
        places = [tuple(place) for place in np.argwhere(is_equal.any(axis=-1))]
        known = set()
        for chosen in product(*(_permuted(order[place], ordered[place]) for place in places)):
            for place, boxes in zip(places, chosen, strict=True):
                order[place] = boxes
            found = np.where(is_out, -1, order)
            if found.tobytes() not in known:
                known.add(found.tobytes())
                yield found

    def candidates(self, extent: float) -> Iterator[np.ndarray]:
        """(batch, class, box, decayed score, its error) of all candidates, in each order of equal scores: [n, 5]."""
        given, batches = self.attributes, np.arange(len(self.boxes))[:, None, None]
        for order in self.orders():
            factor, error = _decay(
                self.boxes[batches, order],
                extent,
                given["decay_function"],
                given["gaussian_sigma"],
                self.epsilon,
            )
            batch, kind, place = np.nonzero(order >= 0)
            box = order[batch, kind, place]
            scores = self.scores[batch, kind, box]
            factor, error = (each[batch, kind, place] for each in (factor, error))
            # Scores from a negative score_threshold on may be negative.
            yield np.column_stack([batch, kind, box, scores * factor, np.abs(scores) * error])

    @property
    def extents(self) -> tuple[float, ...]:
        """What a side may be longer than the difference of its coordinates."""
        return (0.0,) if self.attributes["normalized"] else (1.0, 0.0)

    @cached_property
    def options(self) -> list[np.ndarray]:
        """The candidates in each reading of the page."""
        return [found for extent in self.extents for found in self.candidates(extent)]

    def outputs(self) -> Arrays:
        """The outputs in the first reading of the page."""
        found = next(self.candidates(self.extents[0]))
        found = found[found[:, 3] > self.attributes["post_threshold"]]
        places = np.arange(len(found))
        return self.detections(0.0).outputs(found[:, :3].astype(int), found[:, 3], places)

    def nearest(self, actual: Sequence[np.ndarray], outputs: Arrays) -> Arrays:
        """The admissible outputs nearest to the actual ones; ``outputs`` where these are not admissible.

        Open are the order of equal scores, also of candidates; of scores that are equal within their errors, and
        whether these are higher than post_threshold; sides of boxes that are not normalized.
        """
        given = self._scores_of(actual)
        options = sorted(self.options, key=lambda found: _distance(found, given))
        errors = [2 * found[:, 4] / np.abs(found[:, 3]) for found in options if found[:, 3].all()]
        tolerance = max((float(each.max(initial=0.0)) for each in errors), default=0.0)

        def selections(_: np.ndarray) -> Iterator[Selection]:
            for found in options:
                above = found[:, 3] - self.attributes["post_threshold"]
                chosen = above > 0
                for near in np.flatnonzero(np.abs(above) < found[:, 4]):
                    chosen[near] = tuple(found[near, :3].astype(int)) in given
                yield found[chosen, :3].astype(int), found[chosen, 3]

        return self.detections(tolerance).nearest(actual, outputs, selections)

    def _scores_of(self, actual: Sequence[np.ndarray]) -> dict[tuple[int, ...], float]:
        """The scores that selected outputs state, by (batch, class, box)."""
        named, indices = actual[0].astype(np.float64), actual[1].astype(int).reshape(-1)
        count = max(self.boxes.shape[1], 1)
        return {
            (index // count, int(row[0]), index % count): float(row[1])
            for row, index in zip(np.nan_to_num(named).tolist(), indices.tolist(), strict=False)
            if len(row) == 6
        }

    def errors(self, outputs: Arrays) -> np.ndarray:
        """The largest error of each number of selected_outputs: [n, 6]."""
        known: dict[tuple[int, ...], float] = {}
        for found in self.options:
            for *place, _, error in found.tolist():
                key = tuple(map(int, place))
                known[key] = max(known.get(key, 0.0), error)
        errors = np.zeros(outputs[0].shape)
        errors[:, 1] = [known.get(place, 0.0) for place in self._scores_of(outputs)]
        return errors


def _distance(found: np.ndarray, given: Mapping[tuple[int, ...], float]) -> float:
    """How far the scores of candidates [n, 5] are from those that a device gave."""
    pairs = [(score, given.get(tuple(map(int, place)))) for *place, score, _ in found.tolist()]
    return sum(abs(score - other) for score, other in pairs if other is not None)


def _of(call: Call) -> _MatrixLayer:
    if _MatrixLayer not in call.cache:
        boxes, scores = require_boxes("", call.array(0), call.array(1), 4)
        given = {**_USUAL, **call.attributes}
        call.cache[_MatrixLayer] = _MatrixLayer(boxes, scores, given, call.precision(0).epsilon)
    layer: _MatrixLayer = call.cache[_MatrixLayer]
    return layer


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    return _of(call).nearest(actual, call.outputs)


def _errors(call: Call) -> np.ndarray:
    """The errors of the scores, in units of ε; classes and coordinates have none."""
    return _of(call).errors(call.outputs) / call.precision(0).epsilon


_DECAYED = Function(k=0, a=1, scale=_errors, quality_k=0, quality_a=1)


@implements(
    "MatrixNonMaxSuppression-8",
    accuracy=(Choice(_nearest, _DECAYED), Choice(_nearest, DECIDED), Choice(_nearest, DECIDED)),
)
def matrix_non_max_suppression(
    boxes: np.ndarray,
    scores: np.ndarray,
    *,
    sort_result: SortResult = "none",
    sort_result_across_batch: bool = False,
    output_type: IndexType = "i64",
    score_threshold: float = 0.0,
    nms_top_k: int = -1,
    keep_top_k: int = -1,
    background_class: int = -1,
    normalized: bool = True,
    decay_function: Literal["gaussian", "linear"] = "linear",
    gaussian_sigma: float = 2.0,
    post_threshold: float = 0.0,
) -> Arrays:
    """The boxes of each class with scores that decay as far as better boxes overlap them.

    boxes [num_batches, num_boxes, 4] as (xmin, ymin, xmax, ymax), scores [num_batches, num_classes, num_boxes] ->
    (class, score, xmin, ymin, xmax, ymax) of n boxes [n, 6], their places in the flattened boxes [n, 1], their numbers
    [num_batches]. The ``nms_top_k`` best boxes of a class with scores above ``score_threshold`` are candidates;
    ``keep_top_k`` of a batch element are kept, of those that decay to more than ``post_threshold``. Boxes that are not
    normalized hold the pixels at both ends. Raises ValueError where shapes do not fit.
    """
    attributes = {
        "sort_result": sort_result,
        "sort_result_across_batch": sort_result_across_batch,
        "output_type": output_type,
        "score_threshold": score_threshold,
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "background_class": background_class,
        "normalized": normalized,
        "decay_function": decay_function,
        "gaussian_sigma": gaussian_sigma,
        "post_threshold": post_threshold,
    }
    given = require_boxes("MatrixNonMaxSuppression-8", boxes, scores, 4)
    return _MatrixLayer(*given, attributes).outputs()
