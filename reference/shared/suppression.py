"""Boxes that suppress others: which are selected, and which other selections a page leaves to the device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference.accuracy import Arrays


def overlap_of(
    boxes: np.ndarray, measure: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Callable[[np.ndarray], np.ndarray]:
    """``measure`` (IOU) of one box of each class and all boxes, as ``Suppression`` asks for it.

    boxes [num_batches, num_classes or 1, num_boxes, k].
    """
    batches, classes = np.ogrid[tuple(map(slice, boxes.shape[:2]))]
    return lambda box: measure(boxes[batches, classes, box][:, :, None, :], boxes)


@dataclass(frozen=True)
class Suppression:
    """Boxes that suppress others of their class and batch element: the one with the best score those that overlap it.

    ``scores`` [num_batches, num_classes, num_boxes]; -inf where there is no box. ``overlap`` gives the IOU of one box
    of each class, [num_batches, num_classes], with all of them [num_batches, num_classes, num_boxes]. ``weight`` is the
    factor for the scores of boxes with an IOU, in a step. At most ``limit`` boxes of a class are selected.
    ``tolerance`` is the relative error of scores that ``weight`` changed. ``removes``: a box whose score becomes 0 is
    none to select any more; where it is not said, both are right.
    """

    scores: np.ndarray
    overlap: Callable[[np.ndarray], np.ndarray]
    limit: int
    score_threshold: float
    weight: Callable[[np.ndarray, int], np.ndarray]
    tolerance: float = 0.0
    removes: bool = False

    @property
    def most(self) -> int:
        """The most boxes of one class."""
        return max(min(self.scores.shape[2], self.limit), 0)

    def select(
        self, preferred: np.ndarray | None = None, removes: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The boxes that are selected, as (batch, class, box) [n, 3], and their scores [n].

        Their order is by batch, class, and as they were selected. ``preferred`` [num_batches, num_classes, num_boxes],
        -1 for none, are the boxes to select among those whose scores differ within the tolerance.
        """
        scores_left = self.scores.copy()
        batch, kind = np.ogrid[tuple(map(slice, scores_left.shape[:2]))]
        active, remaining = np.ones(scores_left.shape[:2], bool), scores_left > -np.inf
        selected = np.full((*active.shape, self.most), -1)
        values = np.zeros(selected.shape)
        for step in range(self.most):
            current = np.where(remaining, scores_left, -np.inf)
            box, best = np.argmax(current, axis=-1), np.max(current, axis=-1)
            enough = best >= self.score_threshold
            if preferred is not None:
                wanted = preferred[:, :, step]
                room = self.tolerance * np.nan_to_num(np.abs(best), posinf=0.0)
                is_close = (wanted >= 0) & (current[batch, kind, wanted] >= best - room)
                box = np.where(is_close, wanted, box)
                distance = np.abs(best - self.score_threshold)
                is_near = distance < self.tolerance * np.abs(self.score_threshold)
                enough = np.where(is_near, wanted >= 0, enough)
            active &= enough & (best > -np.inf)
            if not active.any():
                break
            selected[:, :, step] = np.where(active, box, -1)
            values[:, :, step] = scores_left[batch, kind, box]
            remaining[batch, kind, box] = False
            weight = self.weight(self.overlap(box), step)
            np.multiply(scores_left, weight, out=scores_left, where=remaining)
            if removes or self.removes:
                remaining &= weight > 0
        chosen = selected >= 0
        return np.column_stack([np.argwhere(chosen)[:, :2], selected[chosen]]), values[chosen]

    def selections(self, given: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """What ``select`` returns in the readings of the page, for boxes [m, 3] in the order of a device."""
        preferred = self._preferred(given)
        return [self.select(preferred, removes) for removes in sorted({self.removes, True})]

    def _preferred(self, given: np.ndarray) -> np.ndarray:
        """The boxes that a device selected [num_batches, num_classes, num_boxes], in order, -1 for none."""
        sizes = self.scores.shape
        preferred = np.full((*sizes[:2], max(sizes[2], self.most)), -1)
        used = np.zeros(sizes[:2], int)
        for row in given[np.all((given >= 0) & (given < sizes), axis=1)]:
            batch, kind, box = row
            if used[batch, kind] < sizes[2]:
                preferred[batch, kind, used[batch, kind]] = box
                used[batch, kind] += 1
        return preferred


def places_of(rows: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The place of each row [n, k] among those that a device gave [m, k], m for one that is not there: [n]."""
    known = {tuple(row): place for place, row in reversed(list(enumerate(given.tolist())))}
    return np.array([known.get(tuple(row), len(given)) for row in rows.tolist()], int)


def descending(scores: np.ndarray, tolerance: float = 0.0) -> np.ndarray:
    """A key that sorts scores [n] from the highest to the lowest: [n].

    Scores have the same key where each of them is within ``tolerance`` (relative) of the next.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    steps = ordered[:-1] - ordered[1:] > tolerance * np.abs(ordered[:-1])
    key = np.empty(len(scores), int)
    key[order] = np.concatenate([np.zeros(min(len(scores), 1), int), np.cumsum(steps)])
    return key


@dataclass(frozen=True)
class Triplets:
    """The outputs of a page: (batch_index, class_index, box_index) of the selected boxes, their scores, their number.

    ``is_sorted`` by score, over all batch elements and classes; else they are in the order of these. ``kind`` is the
    type of indices. ``rows``: how many the page fixes; without it there are as many as boxes are selected.
    """

    suppression: Suppression
    is_sorted: bool
    kind: np.dtype
    rows: int | None = None

    def outputs(self) -> Arrays:
        """selected_indices [n, 3], selected_scores [n, 3], valid_outputs [1]."""
        found, scores = self.suppression.select()
        return self._outputs(found, scores, np.arange(len(found)))

    def nearest(self, given: np.ndarray, outputs: Arrays) -> Arrays:
        """The admissible outputs nearest to ``given`` selected_indices; ``outputs`` where these are not admissible.

        Open are the order of equal scores, and of scores that are equal within their errors; in some pages whether a
        suppressed box, whose score is 0, is selected if score_threshold is not above 0; and, where no number of rows
        is fixed, rows of -1 up to the most boxes that there could be.
        """
        if given.ndim != 2 or given.shape[1] != 3:
            return outputs
        rows = given[~np.all(given == -1, axis=1)].astype(np.int64)
        sizes = self.suppression.scores.shape
        bound = self.suppression.most * sizes[0] * sizes[1]
        padded = len(given) if self.rows is None and len(given) == bound else self.rows
        for found, scores in self.suppression.selections(rows):
            near = self._outputs(found, scores, places_of(found, rows), padded)
            if np.array_equal(near[0], given):
                return near
        return outputs

    def _outputs(
        self, found: np.ndarray, scores: np.ndarray, places: np.ndarray, rows: int | None = None
    ) -> Arrays:
        """The outputs; where the page leaves the order open it is that of ``places``."""
        rows = self.rows if rows is None else rows
        if self.is_sorted:
            order = np.lexsort((places, descending(scores, self.suppression.tolerance)))
            found, scores = found[order], scores[order]
        count = np.array([len(found)], self.kind)
        named = np.column_stack([found[:, :2], scores])
        if rows is not None:
            missing = ((0, max(rows - len(found), 0)), (0, 0))
            found, named = (
                np.pad(each[:rows], missing, constant_values=-1) for each in (found, named)
            )
        return found.astype(self.kind), named.astype(np.float64), count


def require_boxes(
    name: str, given_boxes: np.ndarray | None, given_scores: np.ndarray | None, numbers: int
) -> tuple[np.ndarray, np.ndarray]:
    """boxes [num_batches, num_boxes, numbers] and scores [num_batches, num_classes, num_boxes] in float64.

    Raises ValueError for other shapes.
    """
    boxes, scores = np.asarray(given_boxes, np.float64), np.asarray(given_scores, np.float64)
    shape = boxes.shape
    if (
        boxes.ndim != 3
        or scores.shape != (shape[0], *scores.shape[1:2], shape[1])
        or shape[2] != numbers
    ):
        raise ValueError(
            f"{name}: boxes must be [num_batches, num_boxes, {numbers}] and scores [num_batches, num_classes, "
            f"num_boxes], got {list(shape)} and {list(scores.shape)}"
        )
    return boxes, scores
