"""Proposals: anchors that deltas move, clipped to an image; the best remain.

What the pages of these operations leave open are parameters here; see ``readings`` of their declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reference.accuracy import Arrays, Call, Function
from reference.shared.boxes import iou

Adapts = Literal["candidates", "later", "next"]
# How far a box of a device may be from a candidate, in parts of its coordinates, to be taken for it.
_NEAR = 0.01
# An answer so near, in parts of what counts as near, is the one.
_SAME = 1e-3
# Overlaps so near a threshold, in parts of it, are just as much in f32: 7/10 and the f32 number next to 0.7.
_JUST = 2.0**-22


@dataclass(frozen=True)
class DecodedCandidates:
    """Candidates: ``boxes`` [n, 4], and the errors of their coordinates in units of the machine epsilon, ``size``."""

    boxes: np.ndarray
    size: np.ndarray

    def clipped(self, width: float, height: float, extent: float) -> DecodedCandidates:
        """With coordinates from 0 to those of the last column and row of an image."""
        last = np.maximum([width - extent, height - extent] * 2, 0)
        return DecodedCandidates(self.boxes.clip(0, last), self.size)

    def taken(self, rows: np.ndarray) -> DecodedCandidates:
        """Some of them."""
        return DecodedCandidates(self.boxes[rows], self.size[rows])


def decoded(
    anchors: np.ndarray, deltas: np.ndarray, extent: float, errors: np.ndarray | float = 0.0
) -> DecodedCandidates:
    """Anchors [n, 4] moved by deltas (dx, dy, log(dw), log(dh)) [n, 4]: boxes (xmin, ymin, xmax, ymax).

    A center moves by parts of the side, a side is multiplied; it is longer by ``extent`` than the difference of its
    coordinates. ``errors`` (of x and y of each corner [n, 2], in units of the machine epsilon) are those of anchors
    that are computed; their deltas are computed as well, which rounds them once.
    """
    low, high = anchors[:, :2], anchors[:, 2:]
    sides = high - low + extent
    with np.errstate(over="ignore"):
        moved, halves = deltas[:, :2] * sides, np.exp(deltas[:, 2:]) * sides / 2
    centers = low + sides / 2 + moved
    boxes = np.concatenate([centers - halves, centers + halves - extent], axis=1)
    # A side is a difference and a sum with the extent; half of it is added to the corner, and to the product by a
    # delta; the other half is multiplied by an exponential of 3 ulps, and subtracted. Each rounds once, and passes on
    # the error of the side.
    is_rounded = np.any(errors)
    of_side = 2 * np.asarray(errors) + np.abs(sides) * (1 + bool(extent))
    growth = np.abs(halves / np.where(sides == 0, 1, sides))
    passed = errors + of_side * (0.5 + np.abs(deltas[:, :2]) + growth)
    rounding = np.abs(low + sides / 2) + np.abs(moved) + np.abs(centers) + 4 * np.abs(halves)
    if is_rounded:
        rounding = rounding + np.abs(moved) + np.abs(halves * deltas[:, 2:])
    size = np.concatenate([passed + rounding] * 2, axis=1) + np.abs(boxes) * bool(extent)
    return DecodedCandidates(boxes, size)


def suppressed(
    boxes: np.ndarray,
    threshold: float,
    limit: int,
    extent: float,
    eta: float = 1.0,
    adapts: str = "candidates",
    drops_equal: bool = False,
) -> list[int]:
    """The places of boxes [n, 4], the best first, that no better one of them overlaps by more than ``threshold``.

    At most ``limit``. While the threshold is above 0.5 it is multiplied by ``eta`` after each box that remains.
    ``adapts``: the new one holds for all that are compared from then on (candidates), or each box keeps that of
    its time, before (next) or after (later) the change. ``drops_equal``: an overlap of just the threshold, as f32 can
    tell, is too much.
    """
    found: list[int] = []
    kept, own = np.empty_like(boxes), np.empty(len(boxes))
    for place, box in enumerate(boxes):
        count = len(found)
        if count >= limit:
            break
        overlaps = iou(box, kept[:count], extent)
        limits = np.full(count, threshold) if adapts == "candidates" else own[:count]
        just = np.abs(overlaps - limits) <= _JUST * limits
        if np.any((overlaps > limits) & ~just) or (drops_equal and np.any(just)):
            continue
        found.append(place)
        before = threshold
        if eta < 1 and threshold > 0.5:
            threshold *= eta
        kept[count], own[count] = box, before if adapts == "next" else threshold
    return found


@dataclass(frozen=True)
class Proposing:
    """What is done with the candidates of an image, in one reading of a page.

    Boxes with a side below ``min_size`` are removed, before (``removes_first``) or after the ``pre_nms_count`` best
    ones are taken; ``extent``: what a side is longer than the difference of its coordinates; ``scaled``: min_size is
    multiplied by the scale of the image.
    """

    min_size: float
    nms_threshold: float
    pre_nms_count: int
    post_nms_count: int
    nms_eta: float = 1.0
    removes_first: bool = False
    extent: float = 0.0
    scaled: bool = False
    adapts: Adapts = "candidates"
    drops_equal: bool = False

    def check(self, name: str) -> None:
        """Raise ValueError for attributes outside their ranges."""
        least = min(self.min_size, self.nms_threshold, self.pre_nms_count, self.post_nms_count)
        if least < 0 or not 0 <= self.nms_eta <= 1:
            raise ValueError(
                f"{name}: sizes, thresholds and counts must not be negative, and nms_eta from 0 to 1"
            )

    def candidates(
        self, info: np.ndarray, anchors: np.ndarray, deltas: np.ndarray
    ) -> DecodedCandidates:
        """The boxes of an image whose ``info`` is (height, width, scale or scales)."""
        return decoded(anchors, deltas, self.extent).clipped(info[1], info[0], self.extent)

    def chosen(
        self,
        info: np.ndarray,
        boxes: np.ndarray,
        scores: np.ndarray,
        given: np.ndarray | None = None,
    ) -> np.ndarray:
        """The places of the boxes [n, 4] of an image that are returned, by their scores [n], from the highest on.

        Of equal scores those come first that a device returned, as ``given`` (score, xmin, ymin, xmax, ymax) [m, 5].
        """
        scale = np.array([info[-1], info[2]]) if self.scaled else 1.0
        sides = boxes[:, 2:] - boxes[:, :2] + self.extent
        is_large = np.all(sides >= self.min_size * scale, axis=1)
        order = np.lexsort((*self._wanted(boxes, scores, given), -scores))
        if self.removes_first:
            order = order[is_large[order]]
        order = order[: self.pre_nms_count]
        order = order[is_large[order]]
        kept = suppressed(
            boxes[order],
            self.nms_threshold,
            self.post_nms_count,
            self.extent,
            self.nms_eta,
            self.adapts,
            self.drops_equal,
        )
        found: np.ndarray = order[kept]
        return found

    def _wanted(
        self, boxes: np.ndarray, scores: np.ndarray, given: np.ndarray | None
    ) -> Iterable[np.ndarray]:
        """Keys for boxes of equal scores, the last one first: those of a device in its order, those they suppress."""
        if given is None or len(np.unique(scores)) == len(scores):
            return ()
        place = np.full(len(boxes), len(given))
        covered = np.zeros(len(boxes), bool)
        rows = np.column_stack([scores, boxes])
        for number, row in enumerate(given.astype(np.float64)):
            room = _NEAR * np.maximum(np.abs(row), 1)
            room[1:] = room[1:].max()  # a coordinate near 0 is the difference of larger ones
            near = np.all(np.abs(rows - row) <= room, axis=1)
            free = np.flatnonzero(near & (place == len(given)))
            place[free[:1]] = number
            covered |= iou(row[1:], boxes, self.extent) > self.nms_threshold
        return (~covered, place)


def nearest_of(answers: Iterable[Arrays], actual: Sequence[np.ndarray], usual: Arrays) -> Arrays:
    """The nearest of the admissible answers with the shapes of the actual outputs, ``usual`` where none has them.

    It is the one with the fewest elements that are clearly others. NaN in an answer is any value.
    """
    best, least = usual, (np.inf, np.inf)
    for answer in answers:
        if [each.shape for each in answer] == [each.shape for each in actual]:
            pairs = zip(answer, actual, strict=True)
            far = [np.abs(one - other.astype(np.float64)) for one, other in pairs]
            room = [_NEAR * np.maximum(np.abs(each), 1) for each in answer]
            wrong = sum(np.count_nonzero(one > most) for one, most in zip(far, room, strict=True))
            distance = (float(wrong), sum(float(np.nansum(each)) for each in far))
            if distance < least:
                best, least = answer, distance
            if distance[1] <= _SAME * sum(float(np.nansum(each)) for each in room):
                break
    return best


def coordinates(
    terms: Callable[[Call], Sequence[DecodedCandidates]],
    silent: Callable[[Call], np.ndarray] | None = None,
) -> Function:
    """The class of boxes, whose ``terms(call)`` gives the candidates of each image in the order of the outputs' rows.

    Their errors are those of the steps that decode them, and the rounding of the coordinate itself, each an ulp in the
    bound and half a one in the other tier.
    """
    return Function(
        k=1,
        a=1,
        scale=lambda call: _sizes(terms(call), call.outputs[0]),
        quality_k=0.5,
        quality_a=0.5,
        silent=silent,
    )


def _sizes(candidates: Sequence[DecodedCandidates], rows: np.ndarray) -> np.ndarray:
    """The errors of each coordinate, the last four of rows; 0 in rows that are none of the candidates."""
    boxes = np.ascontiguousarray(rows[:, -4:])
    every, size = (
        np.concatenate([getattr(each, name) for each in candidates]) if candidates else boxes[:0]
        for name in ("boxes", "size")
    )
    # Only those that begin at the first coordinate of a row can be it.
    near = np.isin(every[:, 0], boxes[:, 0])
    known = dict(zip(map(bytes, every[near]), size[near], strict=True))
    found = [known.get(bytes(row), np.zeros(4)) for row in boxes]
    sizes = np.zeros(rows.shape)
    sizes[:, -4:] = np.array(found).reshape(boxes.shape)
    return sizes
