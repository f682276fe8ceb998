"""The classes of accumulated results: sums, products, states carried from step to step, Softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reference.accuracy.base import Amount, Arithmetic, Bounds, amount_of
from reference.accuracy.call import Call, run
from reference.accuracy.precision import PRECISIONS, Precision, is_float
from reference.accuracy.statistics import SumErrors, even_sums


@dataclass(frozen=True)
class Sum(Arithmetic):
    """2·(k·u_acc·B + u·|answer|) for sums of k terms, B the same operation on (finite) absolute values.

    Adding k terms in any order rounds k times, each time by at most u of a partial sum, which is at most B; each
    product that is summed rounds once more. The factor 2 admits accumulators that round faithfully instead of
    correctly. u_acc is that of the accumulator: sums of f16 may be accumulated in f16 or f32 (bound and quality), those
    of bf16 and of 8-bit floats are in f32. Where the accumulator is finer than the output, the result is rounded once
    more, by u·|answer|. Where a device multiplies f32 data in bf16 it rounds the inputs, and the reference does the
    same; the quality bound is that of f32, and the bound allows a result that is rounded to bf16 as well. A product
    below the smallest normal number is rounded to a multiple of the smallest subnormal, whatever its size, or flushed
    to zero: the bound allows the smallest normal number for each term, of all together no more than B. Over 1,000
    outputs and more, ``SumErrors`` tests variance and bias.

    ``terms`` is k, or a function of the call that gives it. ``extra`` counts roundings of the result after the sum,
    such as the division of a mean; ``partial`` is the largest partial sum divided by B, for a mean the divisor.
    ``magnitude`` replaces B where it is not the operation on absolute values.
    """

    terms: Amount
    extra: float = 0.0
    partial: Amount = 1.0
    magnitude: Amount | None = None

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula with the coarsest and the finest accumulator, and the test of all outputs together."""
        exact = call.outputs[output_index].astype(np.float64)
        size = np.abs(exact)
        measure = self.magnitude or (lambda call: call.magnitudes[output_index])
        total = amount_of(measure, call)
        terms = amount_of(self.terms, call)
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse

        def bound(acc: Precision, last: Precision) -> np.ndarray:
            after = (last.unit if acc.fraction_bits > last.fraction_bits else 0.0) * size
            return terms * acc.unit * total + after + self.extra * acc.unit * size

        # Where the sum of magnitudes is outside the range, a partial sum may overflow in some order of addition.
        largest = total * amount_of(self.partial, call)
        lost = ~np.isnan(exact) & (largest >= coarse.overflow)
        scale = np.sqrt(terms + self.extra) * coarse.unit * total
        if coarse.fraction_bits > working.fraction_bits:
            scale = np.hypot(scale, working.unit * size)
        least = working.unit * working.smallest_normal
        together = SumErrors(
            exact,
            np.broadcast_to(scale, exact.shape),
            lambda: self._is_even(call, output_index, terms, total),
        )
        outer, quality = 2 * bound(coarse, working), bound(fine, own)
        flushed = np.minimum(total, terms * working.smallest_normal)
        return Bounds(outer + flushed + least, quality + least, together=together, free=lost)

    def caused(self, call: Call, position: int, spread: np.ndarray) -> Sequence[np.ndarray]:
        """Terms have both signs: their errors add up as absolute values do."""
        sizes = _sizes(call.inputs, self.operands)
        sizes[position] = spread
        return run(call.function, sizes, call.attributes)

    def _is_even(
        self, call: Call, output_index: int, terms: np.ndarray, total: np.ndarray
    ) -> np.ndarray:
        """The outputs of whose terms none dominates, as far as that is known.

        The operation on squares has the squares of the terms, of a mean divided once instead of twice; it is not known
        of classes with a ``magnitude`` of their own.
        """
        shape = call.outputs[output_index].shape
        if self.magnitude is not None:
            few = even_sums(terms, np.zeros(()), np.ones(()))
            return np.broadcast_to(few, shape)
        squares = call.again(_squares)[output_index] / amount_of(self.partial, call)
        return np.broadcast_to(even_sums(terms, total, squares), shape)


def _sizes(inputs: Sequence[np.ndarray | None], operands: int | None) -> list[np.ndarray | None]:
    """The absolute values of data: of reals; where there are none of the first ``operands`` inputs (all, by default).

    Other integers are indices, such as axes; negative ones count from the end.
    """
    reals = [values is not None and is_float(values.dtype) for values in inputs]
    count = len(inputs) if operands is None else operands
    is_data = reals if any(reals) else [index < count for index in range(len(inputs))]
    return [
        np.abs(values) if values is not None and is_operand else values
        for values, is_operand in zip(inputs, is_data, strict=True)
    ]


def _squares(values: np.ndarray) -> np.ndarray:
    """The squares of finite reals, 0 for infinities and NaN; other values as they are."""
    if not is_float(values.dtype):
        return values
    wide = values.astype(np.float64)
    return np.where(np.isfinite(wide), wide, 0.0) ** 2


def accumulator(working: Precision) -> Precision:
    """The precision of accumulators: f32 for formats with fewer fraction bits than f16, else the same."""
    return (
        working if working.fraction_bits >= PRECISIONS["f16"].fraction_bits else PRECISIONS["f32"]
    )


@dataclass(frozen=True)
class Product(Arithmetic):
    """2·(k·u_acc + u)·|answer|: each of k multiplications rounds once, relative to its result.

    u_acc is that of the accumulator, as for ``Sum``: a product of bf16 or 8-bit floats is kept in f32 and rounded once
    at the end, by u.

    Partial products may overflow or underflow in one order of multiplication and not in another: where the product of
    all factors above 1 overflows, or that of all factors below 1 underflows, the answer is silent. ``factors`` gives
    arrays, for the output's elements, of these two products.
    """

    terms: Amount
    factors: Callable[[Call], tuple[np.ndarray, np.ndarray]]

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula; no bound where a partial product may overflow or underflow."""
        acc = accumulator(working)
        last = working.unit if acc.fraction_bits > working.fraction_bits else 0.0
        terms = amount_of(self.terms, call)
        # Nothing is rounded where nothing is multiplied.
        relative = terms * acc.unit + np.where(terms > 0, last, 0.0)
        half = relative * np.abs(call.outputs[output_index])
        above, below = self.factors(call)
        lost = (above >= own.overflow) | ((below > 0) & (below < own.smallest_normal))
        return Bounds(2 * half, half, free=lost)


@dataclass(frozen=True)
class CarriedState(Arithmetic):
    """k·ε·scale·(1 + g + ... + g^(steps-1)): results that are carried from step to step in the output's type.

    Each step rounds by at most k ulps of ``scale``, and multiplies the error of the step before by at most ``growth``:
    1 for sums, below 1 for recurrent gates. ``quality`` is the fraction of it that the finer tier allows: errors of
    random sign add up to less. ``flushed`` is the size of what is added up: in each step a sum below the smallest
    normal number may become zero, and no more than all is lost.
    """

    steps: Amount
    scale: Amount
    k: float = 1.0
    growth: float = 1.0
    quality: float = 0.5
    flushed: Amount = 0.0

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula for the number of steps that led to each element."""
        steps = amount_of(self.steps, call)
        grown = self.growth
        carried = steps if grown == 1.0 else (1 - grown**steps) / (1 - grown)
        outer = self.k * working.epsilon * amount_of(self.scale, call) * carried
        outer = outer + working.unit * working.smallest_normal
        lost = np.minimum(amount_of(self.flushed, call), steps * working.smallest_normal)
        return Bounds(outer + lost, self.quality * outer)


@dataclass(frozen=True)
class Softmax(Arithmetic):
    """ε·y·(2·K + d/2 + D/2 + C/2 + 1): quotients y = e^z / Σ e^z over C elements.

    With d = |z - max z| the argument of e is rounded to within ε·d/2, which is a relative error of the result; e itself
    has an error of K ulps; the denominator has both errors, D the average of d weighted by y, and C additions; there
    is one division. The sum is in the accumulator, as for ``Sum``, which makes its part small for bf16; there e itself
    is rounded once, K = 1. ``quality`` halves the part of the sum and has K = 1. ``logarithm``: log y instead, whose
    absolute error is the relative one of y, with one more rounding of each part.
    """

    axes: Callable[[Call], tuple[int, ...]]
    k: float = 3.0
    logarithm: bool = False

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula along the axes of the softmax."""
        axes = self.axes(call)
        data = call.reals(0)
        distance, weights = self._weights(call)
        average = np.sum(weights * distance, axis=axes, keepdims=True)
        count = float(np.prod([data.shape[axis] for axis in axes]))
        answer = np.abs(call.outputs[output_index])
        spread = (distance + average) / 2
        acc = accumulator(working)
        share = acc.unit / working.unit
        most = self.k if acc is working else 1.0

        def bound(k: float, terms: float) -> np.ndarray:
            relative = 2 * k + spread + terms + 1
            if self.logarithm:
                return k * (1 + answer) + spread + terms + answer
            return relative * np.maximum(answer, working.smallest_normal)

        return Bounds(
            working.epsilon * bound(most, share * count / 2),
            working.epsilon * bound(1.0, share * count / 4),
        )

    def _weights(self, call: Call) -> tuple[np.ndarray, np.ndarray]:
        """How far each argument is from the largest one, and y."""
        axes, data = self.axes(call), call.reals(0)
        with np.errstate(all="ignore"):
            distance = np.nan_to_num(np.max(data, axis=axes, keepdims=True, initial=-np.inf) - data)
            weights = np.exp(-distance)
            weights /= np.sum(weights, axis=axes, keepdims=True)
        return distance, weights

    def caused(self, call: Call, position: int, spread: np.ndarray) -> Sequence[np.ndarray]:
        """y changes by a factor of at most e^s · Σ y e^s: the largest where one argument grows and the others shrink.

        s is the ``spread``: moved all in one direction, arguments change nothing.
        """
        axes, (distance, weights) = self.axes(call), self._weights(call)
        with np.errstate(all="ignore"):
            logarithms = -distance - np.log(np.sum(np.exp(-distance), axis=axes, keepdims=True))
            grown = logarithms + spread
            most = np.max(grown, axis=axes, keepdims=True, initial=-np.inf)
            total = most + np.log(np.sum(np.exp(grown - most), axis=axes, keepdims=True))
            change = spread + total
            if self.logarithm:
                return (change,)
            # By logarithms where y may be nothing and e^s more than a number holds. No y is above 1.
            small = weights * np.expm1(change)
            return (np.minimum(np.where(change < 1, small, np.exp(logarithms + change)), 1.0),)
