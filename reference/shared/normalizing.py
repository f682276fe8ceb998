"""What normalizations share: the mean and the deviation along axes, and the bounds of what is divided by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reference.accuracy import Bounds, Call, Precision, Sum
from reference.accuracy.base import Amount, amount_of
from reference.shared.reductions import size

Along = tuple[int, ...]


def mean(values: np.ndarray, along: Along) -> np.ndarray:
    """The mean along axes, which stay; NaN where there is nothing."""
    return np.sum(values, axis=along, keepdims=True) / np.float64(size(values, along))


def divisor(differences: np.ndarray, along: Along, eps: float, eps_mode: str) -> np.ndarray:
    """The square root of the variance, kept away from zero."""
    variance = mean(differences**2, along)
    return np.sqrt(variance + eps) if eps_mode == "inside_sqrt" else np.sqrt(variance) + eps


def quotient_errors(
    errors: np.ndarray, of_norm: np.ndarray, quotients: np.ndarray, norms: np.ndarray
) -> np.ndarray:
    """The largest errors of quotients where numerators err by at most ``errors``, and norms by at most ``of_norm``.

    Infinite where a norm may be zero.
    """
    with np.errstate(all="ignore"):
        found = (errors + np.abs(quotients) * of_norm) / (norms - of_norm)
    return np.where(of_norm == 0, errors / norms, np.where(of_norm < norms, found, np.inf))


@dataclass(frozen=True)
class NormalizedSlices:
    """The data of a call in float64, the axes of a slice from 0, and what its elements are divided by, if at all."""

    data: np.ndarray
    along: Along
    eps: float
    eps_mode: str = "inside_sqrt"
    normalize_variance: bool = True

    @property
    def divisor(self) -> np.ndarray:
        """The deviation, 1 where nothing is divided."""
        if not self.normalize_variance:
            return np.ones(())
        differences = self.data - mean(self.data, self.along)
        return divisor(differences, self.along, self.eps, self.eps_mode)

    @property
    def normalized(self) -> np.ndarray:
        """The differences from the mean, over the deviation."""
        return (self.data - mean(self.data, self.along)) / self.divisor

    @property
    def magnitude(self) -> np.ndarray:
        """M·(1 + |y|) + |y|, see ``Normalized``; M of a mean alone."""
        absolute, y = mean(np.abs(self.data), self.along), np.abs(self.normalized)
        return (
            absolute / self.divisor * (1 + y) + y if self.normalize_variance else absolute + 0 * y
        )

    @property
    def kept(self) -> np.ndarray:
        """The sizes of the mean and of the difference that lead to each element, both over the divisor."""
        return np.abs(mean(self.data, self.along)) / self.divisor + np.abs(self.normalized)

    @property
    def slope(self) -> np.ndarray:
        """By how much each element changes with its difference from the mean."""
        return np.asarray(1 / self.divisor)

    def flushed(self, precision: Precision) -> np.ndarray:
        """By how much elements become larger where squares of differences are flushed to zero."""
        y = np.abs(self.normalized)
        if not self.normalize_variance:
            return np.zeros(y.shape)
        differences = self.data - mean(self.data, self.along)
        variance = mean(differences**2, self.along)
        left = np.maximum(variance - precision.smallest_normal, 0)
        is_inside = self.eps_mode == "inside_sqrt"
        smaller = np.sqrt(left + self.eps) if is_inside else np.sqrt(left) + self.eps
        return y * (self.divisor / smaller - 1)

    def caused(self, spread: np.ndarray) -> np.ndarray:
        """The largest error of each element where that of each of the data is at most ``spread``.

        A mean moves by the mean error, and the deviation, which is a norm, by the norm of all errors at most.
        """
        moved = spread + mean(spread, self.along)
        if not self.normalize_variance:
            return moved
        return quotient_errors(
            moved, np.sqrt(mean(spread**2, self.along)), self.normalized, self.divisor
        )

    def overflows(self, precision: Precision) -> np.ndarray:
        """Where sums of finite numbers, or of their squares, reach infinity on the way to a finite result."""
        finite = np.where(np.isfinite(self.data), self.data, 0)
        total = np.sum(np.abs(finite), axis=self.along, keepdims=True)
        if self.normalize_variance:
            differences = finite - mean(finite, self.along)
            total = np.maximum(total, np.sum(differences**2, axis=self.along, keepdims=True))
        return total >= precision.overflow


@dataclass(frozen=True)
class Normalized(Sum):
    """A sum's bound for what is divided by a deviation that is computed from the same sums.

    With n elements in a slice and M = mean |data| / divisor: the mean errs by n·u·mean |data|, and so does each
    difference; the divisor's relative error is that of the differences and half that of the sum of their squares. So
    an element y errs by at most n·u·(M·(1 + |y|) + |y|) and a few roundings of its own. The bound has room for a mean
    and differences that are rounded to the working precision on the way, however finely they are added up: by
    u·|mean| / divisor and by u·|y|, together ``kept``; the variance stays in the accumulator, and of rounded
    differences has an error that is the same for all of a slice and not above theirs. All elements
    of a slice share one mean and one divisor: their errors are not independent, and are not tested together.

    The terms of a mean below the smallest normal number are rounded to multiples of the smallest subnormal, and a small
    divisor makes that error larger: by ``slope``, what a change of a difference is multiplied by. ``flushed`` is what
    the result gains where squares of differences, which are small beside eps, become zero. ``moved`` is the error of
    the result that errors of the first input cause; other inputs are factors and terms of single elements.
    """

    kept: Amount = 0.0
    slope: Amount = 1.0
    flushed: Amount = 0.0
    moved: Callable[[Call, np.ndarray], np.ndarray] = field(kw_only=True)

    def caused(self, call: Call, position: int, spread: np.ndarray) -> Sequence[np.ndarray]:
        """The errors of the output that those of an input cause."""
        return (self.moved(call, spread) if position == 0 else np.zeros(call.outputs[0].shape),)

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bounds of ``Sum``, element by element, two more roundings in the wider one, and what subnormals lose."""
        found = super().real_bounds(call, output_index, own, working)
        assert found.bound is not None
        assert found.quality is not None
        between = 2 * working.unit * amount_of(self.kept, call)
        least = working.unit * working.smallest_normal
        grown = np.maximum(np.nan_to_num(amount_of(self.slope, call)) - 1, 0)
        lost = amount_of(self.terms, call) * least * grown
        gained = np.nan_to_num(amount_of(self.flushed, call), nan=0.0, posinf=np.inf)
        return replace(
            found,
            bound=found.bound + between + lost + gained,
            quality=found.quality + lost,
            together=None,
        )


def normalized(
    slices: Callable[[Call], NormalizedSlices], terms: Callable[[Call], int]
) -> Normalized:
    """The bound of a mean-variance normalization of these slices of ``terms`` elements."""
    return Normalized(
        terms,
        extra=4,
        magnitude=lambda call: slices(call).magnitude,
        kept=lambda call: slices(call).kept,
        slope=lambda call: slices(call).slope,
        flushed=lambda call: slices(call).flushed(call.precision(0)),
        silent=lambda call: slices(call).overflows(call.precision(0)),
        moved=lambda call, spread: slices(call).caused(spread),
    )


@dataclass(frozen=True)
class OverNorm(Sum):
    """Data over the root of a sum of their squares: 2·(n/2·u_acc + extra·u_acc + 2·u)·|y|.

    No term cancels: the sum of n squares has a relative error of (n + 1)·u, which the root halves. The bound has room
    for a root, or its reciprocal, that is rounded to the working precision before data are divided by it. ``squares``
    is the sum under the root. Where it is so small that squares of the working precision fall below the smallest normal
    number, each may be flushed to zero. All elements of a slice share one divisor: their errors are not tested
    together.
    """

    squares: Callable[[Call], np.ndarray] = field(kw_only=True)

    def caused(self, call: Call, position: int, spread: np.ndarray) -> Sequence[np.ndarray]:
        """The errors of the output that those of the data cause: the root, a norm, moves by their norm at most."""
        if position != 0:
            return (np.zeros(call.outputs[0].shape),)
        norms = np.sqrt(self.squares(call))
        along = tuple(axis for axis, size in enumerate(norms.shape) if size == 1)
        of_norm = np.sqrt(np.sum(spread**2, axis=along, keepdims=True))
        return (quotient_errors(spread, of_norm, call.outputs[0], norms),)

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bound of ``Sum``, the rounded root, the squares that are lost; none where all of them may be."""
        found = super().real_bounds(call, output_index, own, working)
        assert found.bound is not None
        squares = self.squares(call)
        lost = 2 * (amount_of(self.terms, call) + 1) * working.smallest_normal / squares
        size = np.abs(call.outputs[output_index].astype(np.float64))
        free = (squares >= working.overflow) | (lost > 0.5) | found.free
        between = (2 * working.unit + lost) * size
        return replace(found, bound=found.bound + between, together=None, free=free)
