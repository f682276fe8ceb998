"""Detected boxes: decoded from offsets, and those that a suppression leaves, which a page has in any order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from reference.accuracy import Call, Function
from reference.shared.boxes import iou
from reference.shared.detections import Detections, candidates
from reference.shared.suppression import Suppression, overlap_of, places_of

# No score is below it.
_LOWEST = float(np.finfo(np.float64).min)


def arguments(call: Call, function: Callable[..., Any]) -> dict[str, Any]:
    """The inputs and attributes of a call by the names of the function's parameters, with their defaults."""
    bound = signature(function).bind(*call.inputs, **call.attributes)
    bound.apply_defaults()
    return dict(bound.arguments)


def coordinates(
    errors: Callable[[Call], np.ndarray], silent: Callable[[Call], np.ndarray]
) -> Function:
    """The class of decoded coordinates, with the ``errors`` of their steps; numbers without an error are copied."""
    return Function(
        k=lambda call: 0.0, a=1, scale=errors, quality_k=0, quality_a=0.5, silent=silent
    )


@dataclass(frozen=True)
class Decoded:
    """Boxes [..., 4] as (x_1, y_1, x_2, y_2), and the errors of their coordinates, in units of the machine epsilon."""

    values: np.ndarray
    errors: np.ndarray

    def moved(self, offsets: np.ndarray) -> Decoded:
        """Boxes whose coordinates are moved by ``offsets`` [..., 4]."""
        found = self.values + offsets
        return Decoded(found, self.errors + np.abs(offsets) + np.abs(found))

    def resized(self, offsets: np.ndarray, extent: float = 0.0) -> Decoded:
        """Boxes with centers moved by parts of the sizes and sizes multiplied by exponentials: ``offsets`` [..., 4].

        A side is longer by ``extent`` than the difference of its coordinates.
        """
        low, error = self.values[..., :2], self.errors[..., :2]
        size = self.values[..., 2:] - low + extent
        shift, exponent = offsets[..., :2], offsets[..., 2:]
        center, half = low + size / 2 + shift * size, np.exp(exponent) * size / 2
        found = np.concatenate([center - half, center + half - extent], axis=-1)
        # A difference, a sum, products, an exponential of 3 ulps with the error of its argument, and the last sums.
        of_size = error + self.errors[..., 2:] + np.abs(size)
        # A box whose second corner is before the first has a negative size.
        rounding = np.abs(center) + np.abs(shift * size) + np.abs(half) * (4 + np.abs(exponent))
        errors = error + of_size * (0.5 + np.abs(shift) + np.exp(exponent) / 2) + rounding
        return Decoded(found, np.concatenate([errors, errors], axis=-1) + np.abs(found))

    def clipped(self, most: np.ndarray | float) -> Decoded:
        """Boxes with coordinates from 0 to ``most``."""
        return Decoded(np.clip(self.values, 0.0, most), self.errors)


@dataclass(frozen=True)
class Kept:
    """The boxes of each class that none with a better score suppresses, at most ``keep`` of a batch element.

    ``scores`` [num_batches, num_classes, num_boxes], -inf where there is no box; ``boxes`` [num_batches, num_classes or
    1, num_boxes, 4], and those that are ``compared``, of the same shape. At most ``limit`` boxes of a class are left,
    or are candidates where ``limits_candidates``; all, for a negative number, as of ``keep``. A box is suppressed by
    an IOU above ``threshold``, or of ``threshold`` as well where ``at_threshold``. Of ``extent`` see ``iou``.
    """

    scores: np.ndarray
    boxes: Decoded
    compared: np.ndarray
    threshold: float
    keep: int
    limit: int = -1
    extent: float = 0.0
    limits_candidates: bool = False
    at_threshold: bool = False

    def rows(self, given: np.ndarray | None = None) -> np.ndarray:
        """(batch, class, score, x_1, y_1, x_2, y_2) of the boxes: [n, 7].

        They stand in the order of the rows ``given`` [m, 7], which also decide between equal scores.
        """
        if not self.scores.size:
            return np.empty((0, 7))
        named = self._named(np.empty((0, 7)) if given is None else given)
        wanted = named[named[:, 0] >= 0]
        cut = self.limit if self.limits_candidates else -1
        count = self.scores.shape[2] if self.limits_candidates or self.limit < 0 else self.limit
        suppression = Suppression(
            candidates(self.scores, -1, cut, wanted),
            overlap_of(self.compared, partial(iou, extent=self.extent)),
            count,
            _LOWEST,
            lambda overlap, _: 1.0 - self._is_suppressed(overlap),
            removes=True,
        )
        ((found, scores),) = suppression.selections(wanted)
        sizes = self.boxes.values.shape[:3]
        indices = np.arange(np.prod(sizes)).reshape(sizes)
        kept = Detections(self.boxes.values, indices, "none", True, self.keep, indices.dtype)
        rows, places, _ = kept.outputs(found, scores, places_of(found, named))
        return np.column_stack([places[:, 0] // max(sizes[1] * sizes[2], 1), rows])

    def _is_suppressed(self, overlap: np.ndarray) -> np.ndarray:
        is_out = overlap >= self.threshold if self.at_threshold else overlap > self.threshold
        return is_out.astype(np.float64)

    def errors(self, rows: np.ndarray) -> np.ndarray:
        """The errors of the coordinates of rows [m, 7]: [m, 4]; 0 for rows that are none."""
        if not self.scores.size:
            return np.zeros((len(rows), 4))
        batch, kind, box = self._named(rows).T
        found = self.boxes.errors[batch, kind % self.boxes.errors.shape[1], box]
        return np.where(batch[:, None] >= 0, found, 0.0)

    def _named(self, rows: np.ndarray) -> np.ndarray:
        """(batch, class, box) of rows [m, 7]: the box with the nearest score, of these that with the nearest corners.

        No box is taken twice; -1 for a row that is none: [m, 3].
        """
        is_free = self.scores > -np.inf
        found = np.full((len(rows), 3), -1)
        for number, row in enumerate(np.nan_to_num(rows.astype(np.float64))):
            batch, kind = int(row[0]), int(row[1])
            if not (0 <= batch < is_free.shape[0] and 0 <= kind < is_free.shape[1]):
                continue
            if not is_free[batch, kind].any():
                continue
            score = np.abs(self.scores[batch, kind] - row[2])
            score[~is_free[batch, kind]] = np.inf
            nearest = np.flatnonzero(score == score.min())
            boxes = self.boxes.values[batch, kind % self.boxes.values.shape[1], nearest]
            corners = np.max(np.abs(boxes - row[3:]), axis=-1)
            box = nearest[np.argsort(corners, kind="stable")[0]]
            found[number] = batch, kind, box
            is_free[batch, kind, box] = False
        return found
