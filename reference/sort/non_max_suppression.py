"""NonMaxSuppression (pages NonMaxSuppression-1, -3, -4, -5 and -9)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import DECIDED, Arrays, Call, Choice, Function, coarser, precision_of
from reference.shared.axes import one_number, require_rank
from reference.shared.boxes import corners_of, iou
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.suppression import Suppression, Triplets, overlap_of, require_boxes

Encoding = Literal["corner", "center"]
Given = np.ndarray | None

_NUMBERS = ("max_output_boxes_per_class", "iou_threshold", "score_threshold", "soft_nms_sigma")
# Left out, the second keeps all boxes.
_DEFAULTS = (0.0, np.inf, 0.0, 0.0)
_USUAL = {"box_encoding": "corner", "sort_result_descending": True, "output_type": "i64"}


@dataclass(frozen=True)
class _Page:
    """What one page says other than the others.

    ``rows``: the first dimension of the output, of the numbers of batch elements, classes, boxes and boxes to select
    at most; None where it is that of selected boxes. ``ends``: Soft-NMS suppresses boxes beyond iou_threshold.
    """

    name: str
    rows: Callable[[int, int, int, int], int] | None = None
    ends: bool = False

    def triplets(
        self, inputs: Sequence[Given], attributes: Mapping[str, Any], epsilon: float
    ) -> Triplets:
        """The outputs of a layer; scores of Soft-NMS have errors of some ``epsilon``. Raises ValueError."""
        boxes, scores = require_boxes(self.name, inputs[0], inputs[1], 4)
        batches, classes, count = scores.shape
        limit, iou_threshold, score_threshold, sigma = self._numbers(inputs[2:])
        most = int(max(limit, 0))

        def weight(overlap: np.ndarray, _: int) -> np.ndarray:
            kept = (overlap <= iou_threshold) * 1.0
            if not sigma:
                return kept
            return np.exp(-0.5 * overlap * overlap / sigma) * (kept if self.ends else 1.0)

        corners = corners_of(boxes, attributes["box_encoding"])
        suppression = Suppression(
            scores,
            overlap_of(corners[:, None], iou),
            most,
            score_threshold,
            weight,
            tolerance=_ulps(min(most, count), sigma) * epsilon,
            removes=self.rows is not None,
        )
        return Triplets(
            suppression,
            attributes["sort_result_descending"],
            INDEX_TYPES[attributes["output_type"]],
            None if self.rows is None else self.rows(batches, classes, count, most),
        )

    def _numbers(self, stated: Sequence[Given]) -> list[float]:
        """The inputs of one number each, with the page's defaults."""
        found = list(_DEFAULTS)
        for place, given in enumerate(stated):
            if given is not None:
                name = f"{self.name}: {_NUMBERS[place]}"
                if self.rows is not None:
                    require_rank(given, (0,), name)
                found[place] = float(one_number(given, name))
        return found

    def nearest(self, call: Call, actual: Sequence[np.ndarray]) -> Arrays:
        """See ``Triplets.nearest``."""
        epsilon = 0.0
        if self.rows is None:
            working = coarser(call.precision(1), precision_of(call.array(0).dtype))
            epsilon = working.epsilon
        triplets = self.triplets(call.inputs, {**_USUAL, **call.attributes}, epsilon)
        return triplets.nearest(actual[0], call.outputs)

    def ulps(self, call: Call) -> np.ndarray:
        """The errors of (batch_index, class_index, score) of each selected box [n, 3].

        A score errs for each box that was selected before and overlaps it; of others the weight is e^0.
        """
        sigma = self._numbers(call.inputs[2:])[3]
        rows, scores = call.outputs[0].astype(np.int64), call.outputs[1][:, 2].astype(np.float64)
        found = np.zeros((len(rows), 3))
        if not sigma:
            return found
        slack = (
            2
            * len(rows)
            * _ulps(1, sigma)
            * coarser(call.precision(1), precision_of(call.array(0).dtype)).epsilon
        )
        encoding = {**_USUAL, **call.attributes}["box_encoding"]
        boxes = corners_of(np.asarray(call.inputs[0], np.float64), encoding)
        boxes = boxes[np.maximum(rows[:, 0], 0), np.maximum(rows[:, 2], 0)]
        overlap = iou(boxes[:, None], boxes[None]) > 0
        is_same = np.all(rows[:, None, :2] == rows[None, :, :2], axis=-1)
        # Those before have no lower scores; where scores are equal within their errors, the order is open.
        may_be_before = scores[None] >= scores[:, None] - slack * np.abs(scores[:, None])
        met = overlap & is_same & may_be_before & ~np.eye(len(rows), dtype=bool)
        found[:, 2] = _ulps(1, sigma) * np.count_nonzero(met, axis=1)
        return found

    @property
    def accuracy(self) -> Choice | tuple[Choice, ...]:
        """The classes of the outputs of a page: indices are exact."""
        indices = Choice(self.nearest, DECIDED)
        if self.rows is not None:
            return indices
        return indices, Choice(self.nearest, Function(k=self.ulps, quality_k=self.ulps)), indices


def _ulps(most: int, sigma: float) -> float:
    """The error of a score of Soft-NMS: for each box a product, an exp (3), its argument of up to 0.5/sigma."""
    return most * (3.5 + 1 / sigma) if sigma else 0.0


def _rows_of_one_element(_: int, classes: int, boxes: int, most: int) -> int:
    return min(boxes, most * classes)


def _rows_of_all(batches: int, classes: int, boxes: int, most: int) -> int:
    return min(boxes, most) * batches * classes


def _reference(page: _Page) -> Callable[..., Arrays | np.ndarray]:
    def non_max_suppression(
        boxes: np.ndarray,
        scores: np.ndarray,
        max_output_boxes_per_class: Given = None,
        iou_threshold: Given = None,
        score_threshold: Given = None,
        soft_nms_sigma: Given = None,
        *,
        box_encoding: Encoding = "corner",
        sort_result_descending: bool = True,
        output_type: IndexType = "i64",
    ) -> Arrays | np.ndarray:
        """The boxes that are not suppressed by a box of their class with a higher score.

        boxes [num_batches, num_boxes, 4], scores [num_batches, num_classes, num_boxes], the rest one number each ->
        (batch_index, class_index, box_index) of n boxes [n, 3], (batch_index, class_index, score) [n, 3], n [1]. Their
        order is by batch, class and descending score, or by descending score alone. Raises ValueError where shapes or
        values do not fit.

        Versions 1, 3 and 4 have neither soft_nms_sigma nor scores among their outputs. Of indices they have
        min(num_boxes, max_output_boxes_per_class * num_classes) rows, in version 4
        min(num_boxes, max_output_boxes_per_class) * num_batches * num_classes: the first n, and -1 behind them.
        """
        numbers = (max_output_boxes_per_class, iou_threshold, score_threshold, soft_nms_sigma)
        given = {
            "box_encoding": box_encoding,
            "sort_result_descending": sort_result_descending,
            "output_type": output_type,
        }
        outputs = page.triplets((boxes, scores, *numbers), given, epsilon=0.0).outputs()
        return outputs if page.rows is None else outputs[0]

    return non_max_suppression


_PAGE_1 = _Page("NonMaxSuppression-1", _rows_of_one_element)
_PAGE_3 = _Page("NonMaxSuppression-3", _rows_of_one_element)
_PAGE_4 = _Page("NonMaxSuppression-4", _rows_of_all)
_PAGE_5 = _Page("NonMaxSuppression-5", ends=True)
_PAGE_9 = _Page("NonMaxSuppression-9")
non_max_suppression_1 = implements("NonMaxSuppression-1", accuracy=_PAGE_1.accuracy)(
    _reference(_PAGE_1)
)
non_max_suppression_3 = implements("NonMaxSuppression-3", accuracy=_PAGE_3.accuracy)(
    _reference(_PAGE_3)
)
non_max_suppression_4 = implements("NonMaxSuppression-4", accuracy=_PAGE_4.accuracy)(
    _reference(_PAGE_4)
)
non_max_suppression_5 = implements("NonMaxSuppression-5", accuracy=_PAGE_5.accuracy)(
    _reference(_PAGE_5)
)
non_max_suppression_9 = implements("NonMaxSuppression-9", accuracy=_PAGE_9.accuracy)(
    _reference(_PAGE_9)
)
