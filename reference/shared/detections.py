"""Detections: the selected boxes of all classes, with their coordinates, at most so many of each batch element."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reference.accuracy import Arrays
from reference.shared.suppression import descending, places_of

SortResult = Literal["classid", "score", "none"]
# (batch, class, box) of selected boxes [n, 3], and their scores [n].
Selection = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Detections:
    """The outputs of a page, for the boxes that it selects.

    ``boxes`` [num_batches, num_classes or 1, num_boxes, 4], ``indices`` [num_batches, num_classes or 1, num_boxes]:
    where they stand in the flattened input. At most ``keep_top_k`` with the best scores are kept of each batch element,
    all for a negative number. Scores have the relative error ``tolerance``.
    """

    boxes: np.ndarray
    indices: np.ndarray
    sort_result: str
    sort_result_across_batch: bool
    keep_top_k: int
    kind: np.dtype
    tolerance: float = 0.0

    def outputs(self, found: np.ndarray, scores: np.ndarray, places: np.ndarray) -> Arrays:
        """selected_outputs [n, 6], selected_indices [n, 1], selected_num [num_batches].

        Where the page leaves a choice open, the first of ``places`` [n] are taken.
        """
        batch, kind = found[:, 0], found[:, 1]
        level = descending(scores, self.tolerance)
        kept = np.lexsort((places, level, batch))
        begin = np.searchsorted(batch[kept], batch[kept])
        if self.keep_top_k >= 0:
            kept = kept[np.arange(len(kept)) - begin < self.keep_top_k]
        keys = {"classid": (kind,), "score": (level,), "none": ()}[self.sort_result]
        across = () if self.sort_result_across_batch else (batch,)
        rows = kept[np.lexsort(tuple(each[kept] for each in (places, *keys, *across)))]
        group, box = kind[rows] % self.boxes.shape[1], found[rows, 2]
        named = np.column_stack([kind[rows], scores[rows], self.boxes[batch[rows], group, box]])
        places_in_input = self.indices[batch[rows], group, box].reshape(-1, 1)
        number = np.bincount(batch[rows], minlength=len(self.boxes))
        return named, places_in_input.astype(self.kind), number.astype(self.kind)

    def nearest(
        self,
        actual: Sequence[np.ndarray],
        outputs: Arrays,
        selections: Callable[[np.ndarray], Iterable[Selection]],
    ) -> Arrays:
        """The admissible outputs nearest to the actual ones; ``outputs`` where these are not admissible.

        ``selections`` gives those that the page admits for the (batch, class, box) [m, 3] of a device, the best first.
        """
        named, given = actual[0], actual[1]
        if named.shape != (len(given), 6) or given.shape[1:] != (1,):
            return outputs
        # What cannot be a class is none that any box has.
        classes = named[:, 0].astype(np.float64)
        kinds = np.where(np.abs(classes) < 2**31, classes, -1).astype(int)
        rows = np.column_stack([given.astype(np.int64), kinds])
        best = np.argsort(-named[:, 1].astype(np.float64), kind="stable")
        for found, scores in selections(self._boxes_of(rows[best])):
            group = found[:, 1] % self.boxes.shape[1]
            own = np.column_stack([self.indices[found[:, 0], group, found[:, 2]], found[:, 1]])
            near = self.outputs(found, scores, places_of(own, rows))
            if np.array_equal(near[1], given) and np.array_equal(near[0][:, 0], kinds):
                return near
        return outputs

    def _boxes_of(self, rows: np.ndarray) -> np.ndarray:
        """(batch, class, box) of rows of an index in the input and a class; without those that are none."""
        places: dict[int, Any] = {
            int(self.indices[place]): place for place in np.ndindex(self.indices.shape)
        }
        found = [
            (places[index][0], kind, places[index][2])
            for index, kind in rows.tolist()
            if index in places
        ]
        return np.reshape(np.array(found, int), (-1, 3))


def candidates(
    scores: np.ndarray, background_class: int, nms_top_k: int, preferred: np.ndarray | None = None
) -> np.ndarray:
    """Scores [num_batches, num_classes, num_boxes] with -inf for boxes that are no candidates.

    These are the boxes of the background class, and all but the best ``nms_top_k`` of each class (all, where it is
    negative). ``preferred`` (batch, class, box) [m, 3] come before others of the same score.
    """
    is_wanted = np.zeros(scores.shape, bool)
    if preferred is not None:
        is_inside = np.all((preferred >= 0) & (preferred < scores.shape), axis=1)
        is_wanted[tuple(preferred[is_inside].T)] = True
    rank = np.argsort(np.lexsort((~is_wanted, -scores), axis=-1), axis=-1)
    is_out = (rank >= nms_top_k) & (nms_top_k >= 0)
    is_out |= (np.arange(scores.shape[1]) == background_class)[:, None]
    return np.where(is_out, -np.inf, scores)
