"""Regions of interest: points on feature maps, what the maps hold there, and how exactly that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from reference.accuracy import PRECISIONS, Arithmetic, Bounds, Call, Precision, accumulator

Beyond = Literal["nothing", "edge", "zero"]
# Points at the ends of what a page defines are told from those beyond only so far, in elements.
_NEAR = 1e-3


@dataclass(frozen=True)
class Points:
    """The points whose values make each output element: S of them for [R, D, P, Q], R regions of D channels.

    ``sizes`` are height and width of the maps. ``batch`` [R] has the image of each region, ``channels`` (broadcast to
    [D, P, Q, S]) the map of each point; ``y`` and ``x`` (to [R, D, P, Q, S]) count elements of the map; the first one
    is at 0. ``reach`` (each broadcast as y) has the largest numbers that y and x are computed from, or all that is
    rounded on the way to them. ``beyond``: within one element of the map a point has the value of its edge, or elements
    beyond it count as zeros; else nothing is known there. ``counted`` (broadcast as y) has the points that there are,
    None for all.
    """

    sizes: tuple[int, int]
    batch: np.ndarray
    channels: np.ndarray
    y: np.ndarray
    x: np.ndarray
    reach: tuple[np.ndarray, np.ndarray]
    beyond: Beyond = "nothing"
    counted: np.ndarray | None = None

    def of(self, maps: np.ndarray, shift: tuple[float, float] = (0, 0)) -> np.ndarray:
        """The interpolated values [R, D, P, Q, S] of maps [N, C, H, W]; elements of weight 0 do not count.

        ``shift`` moves the points, those beyond the edge from the edge. Raises IndexError for an image or a map that
        there is not.
        """
        height, width = self.sizes
        batch = self.batch.reshape(-1, 1, 1, 1, 1)
        # In the flat maps a number out of range would be another image or map.
        for numbers, count in ((batch, maps.shape[0]), (self.channels, maps.shape[1])):
            if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
                raise IndexError(f"points of image or map {numbers.max()}, where there are {count}")
        first = (batch * maps.shape[1] + self.channels) * (height * width)
        values, is_finite = maps.reshape(-1), np.isfinite(maps).all()
        columns = self._corners(self.x, width, shift[1])
        total: np.ndarray | float = 0.0
        for row, by_row in self._corners(self.y, height, shift[0]):
            for column, by_column in columns:
                weight = by_row * by_column
                value = values.take(first + (row * width + column))
                if not is_finite:
                    value = np.where(weight != 0, value, 0.0)
                total = total + weight * value
        return np.asarray(total)

    def _corners(
        self, at: np.ndarray, size: int, shift: float
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """The elements on both sides along one axis, and their weights.

        Points beyond the edge are on it before they are shifted: the next element has a weight of zero there.
        """
        if self.beyond != "zero":
            at = at.clip(0, size - 1)
        at = np.nan_to_num(at + shift, copy=False).clip(-2, size + 1)
        low = np.floor(at).astype(np.int64)
        pairs = ((low, 1 - (at - low)), (low + 1, at - low))
        return [(i.clip(0, size - 1), w * ((i >= 0) & (i < size))) for i, w in pairs]

    @cached_property
    def count(self) -> np.ndarray:
        """How many points an output element has, broadcast to [R, D, P, Q]."""
        if self.counted is None:
            return np.array(np.broadcast_shapes(self.y.shape, self.x.shape)[-1])
        return np.asarray(self.counted.sum(axis=-1))

    def average(self, values: np.ndarray) -> np.ndarray:
        """The averages of values [R, D, P, Q, S] of the points; NaN of none."""
        if self.counted is not None:
            values = np.where(self.counted, values, 0.0)
        return np.asarray(values.sum(axis=-1) / self.count)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """The largest of values [R, D, P, Q, S] of the points; NaN of none."""
        if self.counted is not None:
            values = np.where(self.counted, values, -np.inf)
        found = values.max(axis=-1, initial=-np.inf)
        return np.where(self.count > 0, found, np.nan)

    @cached_property
    def unknown(self) -> np.ndarray:
        """The points of whose values the page says nothing [R, D, P, Q, S]."""
        room = 1e-9 if self.beyond == "nothing" else 1 - _NEAR
        inside = [
            (at >= -room) & (at <= size - 1 + room)
            for at, size in zip((self.y, self.x), self.sizes, strict=True)
        ]
        outside = ~(inside[0] & inside[1])
        return outside if self.counted is None else outside & self.counted

    def unsure(self, maps: np.ndarray, error: float) -> np.ndarray:
        """Where a page does not say what numbers that are not finite do [R, D, P, Q, S].

        An ``error`` of coordinates decides whether one counts, or an infinity does, which some ways to write the
        same formula subtract from itself.
        """
        foreign = (~np.isfinite(maps)).astype(np.float64)
        if not foreign.any():
            return np.zeros(self.unknown.shape, bool)
        touched = [self.of(foreign, shift) > 0 for shift in _shifts(error)]
        any_touched: np.ndarray = np.logical_or.reduce(touched)
        holds_nan = np.isnan(self.of(maps)) & ~(self.of(np.isinf(maps).astype(np.float64)) > 0)
        return any_touched & ~(np.logical_and.reduce(touched) & holds_nan)

    def steep(self, maps: np.ndarray, error: float, limit: float) -> np.ndarray:
        """Where two elements side by side around a point differ by ``limit`` or more [R, D, P, Q, S].

        Interpolation may add to one element a part of the difference to the next, which then overflows although the
        weighted sum is between them. Maps are finite; ``error`` of coordinates decides which elements are around.
        """
        found = np.zeros(self.unknown.shape, bool)
        if 2 * np.abs(maps).max(initial=0.0) < limit:
            return found
        batch = self.batch.reshape(-1, 1, 1, 1, 1)
        for shift in _shifts(error):
            (top, _), (bottom, _) = self._corners(self.y, self.sizes[0], shift[0])
            (left, _), (right, _) = self._corners(self.x, self.sizes[1], shift[1])
            around = ((top, left), (top, right), (bottom, right), (bottom, left))
            values = [maps[batch, self.channels, row, column] for row, column in around]
            for one, other in zip(values, values[1:] + values[:1], strict=True):
                found = found | (np.abs(one - other) >= limit)
        return found


def _shifts(error: float) -> list[tuple[float, float]]:
    """No shift, and those of a point by the largest ``error`` along both axes."""
    room = max(error, 1e-9)
    return [(0.0, 0.0), *((i * room, j * room) for i in (-1, 1) for j in (-1, 1))]


@dataclass(frozen=True)
class Sampled(Arithmetic):
    """Averages, or maxima, of interpolated values: 2·((4·S + 6)·u_acc·B + u·|y|) and what moved points do.

    S points of 4 weighted elements each are added, B their sum of absolute values; a weight is a product of
    differences. Coordinates are computed in ``steps`` steps that each round a number of at most ``reach``, so that
    points move along each axis, and with them the value by at most the steepest slope around along that axis. Where
    sums, or differences of elements, may overflow on the way there is no bound. ``points`` gives None where nothing is
    computed; ``is_maximum`` whether the maximum of the points is taken.
    """

    points: Callable[[Call], Points | None]
    is_maximum: Callable[[Call], bool] = lambda call: False
    steps: float = 6.0

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        exact = np.abs(call.outputs[output_index].astype(np.float64))
        points = self.points(call)
        if points is None or not exact.size:
            return Bounds(np.zeros(exact.shape), np.zeros(exact.shape))
        maps = call.reals(0)
        values = np.where(np.isfinite(maps), maps, 0.0)
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse
        is_maximum = self.is_maximum(call)
        pool = points.largest if is_maximum else points.average
        total = pool(points.of(np.abs(values)))
        steep = sum(
            reach * points.of(_slopes(values, axis))
            for reach, axis in zip(points.reach, (2, 3), strict=True)
        )
        slope = pool(np.asarray(steep))
        terms = 4 * (1 if is_maximum else points.count) + 6

        def moved(acc: Precision) -> np.ndarray:
            return np.asarray(self.steps * acc.unit * slope)

        reach = max(float(np.max(each, initial=0.0)) for each in points.reach)
        error = self.steps * coarse.unit * reach
        unsure = points.unsure(maps, error) | points.steep(values, error, coarse.overflow)
        if is_maximum:
            # The page does not say what is the maximum of NaN and numbers.
            unsure = unsure | np.isnan(points.of(maps))
        lost = np.any(points.unknown | unsure, axis=-1) | (points.count == 0)
        lost = lost | (points.count * total >= 0.99 * coarse.overflow)
        least = working.unit * working.smallest_normal
        bound = 2 * (terms * coarse.unit * total + working.unit * exact + moved(coarse)) + least
        # Products of weights and elements may be flushed to zero.
        bound = bound + np.minimum(total, terms * working.smallest_normal)
        quality = terms * fine.unit * total + own.unit * exact + moved(fine) + least
        return Bounds(bound, np.minimum(quality, bound), free=np.broadcast_to(lost, exact.shape))


def _slopes(maps: np.ndarray, axis: int) -> np.ndarray:
    """The larger of the differences between each element of maps [N, C, H, W] and the ones beside it along an axis."""
    steps = np.abs(np.diff(maps, axis=axis))
    ends = [(0, 0)] * maps.ndim
    before, behind = ends.copy(), ends.copy()
    before[axis], behind[axis] = (1, 0), (0, 1)
    return np.maximum(np.pad(steps, before), np.pad(steps, behind))


def reach_of(
    corners: np.ndarray, factor: float, *, is_turned: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The largest numbers that y and x of boxes [R, 4] (x_1, y_1, x_2, y_2) are computed from: corners, scaled.

    The values of a box that ``is_turned``, whose sides come behind the center, are the same for both.
    """
    size = np.abs(corners) * factor + 1
    y, x = size[:, 1::2].max(axis=1, initial=1), size[:, 0::2].max(axis=1, initial=1)
    if is_turned:
        y = x = np.maximum(y, x)
    return y.reshape(-1, 1, 1, 1, 1), x.reshape(-1, 1, 1, 1, 1)


def rounded_between(low: np.ndarray, at: np.ndarray, scaled: int, parts: int) -> np.ndarray:
    """What is rounded on the way to points ``at``, parts of the way from the end ``low`` of a box to the other one.

    The ends are products of ``scaled`` steps. Their difference is rounded, the part, a quotient of ``parts`` steps, its
    product with the difference, and the sum.

    Errors of the ends move the point by (1 - part)·low + part·high, which is at most |low| and the way together: what
    moves the first end moves the difference back. Where the difference is taken before it is scaled, the steps of
    the scale round the first end and the way, which is the same.
    """
    way = np.abs(at - low)
    ends = scaled * (np.abs(low) + way)
    return np.asarray(ends + (2 + parts) * way + np.abs(at))


def grid(
    begin: np.ndarray, size: np.ndarray, bins: int, ratio: int
) -> tuple[np.ndarray, np.ndarray]:
    """Places in each of ``bins`` parts of [R] intervals [R, bins, n], in the middles of ``ratio`` parts of them, and
    which of them there are [R, 1, n]; for a ratio of 0 as many as a bin is long, rounded up.
    """
    length = size / bins
    # An interval that is as long as the bins together has one for each of them, however it was rounded.
    count = np.full(len(size), ratio) if ratio else np.ceil(length - 1e-9).astype(np.int64)
    places = np.arange(max(count.max(initial=0), 1))
    part = (places + 0.5) / np.maximum(count, 1)[:, None]
    at = (
        begin[:, None, None] + (np.arange(bins)[:, None] + part[:, None, :]) * length[:, None, None]
    )
    return at, (places < count[:, None])[:, None, :]


def crossed(
    y: tuple[np.ndarray, np.ndarray], x: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of the places of two grids: y and x [R, 1, P, Q, S], and which of them there are."""
    rows, columns = y[0][:, :, None, :, None], x[0][:, None, :, None, :]
    counted = y[1][:, :, None, :, None] & x[1][:, None, :, None, :]
    rows, columns, counted = np.broadcast_arrays(rows, columns, counted)
    shape = (*rows.shape[:3], rows.shape[3] * rows.shape[4])
    rows, columns, counted = (each.reshape(shape)[:, None] for each in (rows, columns, counted))
    return rows, columns, counted


Corners = Literal["points", "pixels"]


def box_ends(
    low: np.ndarray, high: np.ndarray, scale: float, corners: str
) -> tuple[np.ndarray, np.ndarray]:
    """Begin and end [R] of boxes along an axis of the map, whose first element begins at 0.

    ``corners`` are points, or pixels of the image that belong to the box.
    """
    if corners == "points":
        return low * scale, high * scale
    return np.round(low) * scale, (np.round(high) + 1) * scale


def inverted(boxes: np.ndarray) -> np.ndarray:
    """Which of boxes [R, 4] have a second corner before the first: [R, 1, 1, 1]."""
    return np.asarray(np.any(boxes[:, 2:] < boxes[:, :2], axis=1)).reshape(-1, 1, 1, 1)


def images(name: str, ids: np.ndarray, count: int) -> np.ndarray:
    """Batch indices as integers. Raises ValueError for one that is not an image's."""
    if np.any((ids < 0) | (ids >= count) | (ids != np.floor(ids))):
        raise ValueError(f"{name}: a batch index is outside [0, {count - 1}]")
    return ids.astype(np.int64)


def aligned_points(
    sizes: tuple[int, int],
    channels: int,
    batch: np.ndarray,
    corners: np.ndarray,
    bins: tuple[int, int],
    ratio: int,
    *,
    scale: float,
    shift: float = 0.0,
    least: float = 0.0,
    beyond: Beyond = "edge",
) -> Points:
    """Points of upright boxes [R, 4] on maps of ``sizes``: ``ratio`` by ``ratio`` of each of ``bins`` (rows, columns).

    Corners are scaled and then shifted; ``least`` is the shortest side of a box.
    """
    first, second = np.split(corners, 2, axis=1)
    begin, size = first * scale + shift, np.maximum((second - first) * scale, least or -np.inf)
    y, x, counted = crossed(
        grid(begin[:, 1], size[:, 1], bins[0], ratio),
        grid(begin[:, 0], size[:, 0], bins[1], ratio),
    )
    each = np.arange(channels)[:, None, None, None]
    reach = reach_of(corners, scale)
    return Points(sizes, batch, each, y, x, reach, beyond, counted)


def checked(
    name: str,
    maps: np.ndarray,
    boxes: np.ndarray,
    numbers: int,
    scale: float,
    ids: np.ndarray | None = None,
) -> None:
    """Raise ValueError unless maps are [N, C, H, W] with elements, boxes [R, numbers], ids [R], the scale positive."""
    if not scale > 0:
        raise ValueError(f"{name}: spatial_scale must be positive, got {scale}")
    if maps.ndim != 4 or boxes.ndim != 2 or boxes.shape[1] != numbers or 0 in maps.shape[2:]:
        raise ValueError(
            f"{name}: the maps must be [N, C, H, W] and the boxes [NUM_ROIS, {numbers}], "
            f"got {list(maps.shape)} and {list(boxes.shape)}"
        )
    if ids is not None and ids.shape != boxes.shape[:1]:
        raise ValueError(f"{name}: of {len(boxes)} boxes there are {list(ids.shape)} batch indices")


def numbers_from(name: str, least: int, **numbers: int) -> None:
    """Raise ValueError for a number below ``least``."""
    for each, number in numbers.items():
        if number < least:
            raise ValueError(f"{name}: {each} must be at least {least}, got {number}")


def integer_bins(
    start: np.ndarray, size: np.ndarray, count: int, limit: int
) -> tuple[np.ndarray, np.ndarray]:
    """The elements that ``count`` bins of [R] intervals touch: first, and behind the last one, in [0, limit]."""
    edges = start[:, None] + np.arange(count + 1) * size[:, None] / max(count, 1)
    low, high = (
        np.nan_to_num(each).clip(0, limit).astype(np.int64)
        for each in (np.floor(edges[:, :-1]), np.ceil(edges[:, 1:]))
    )
    return low, high
