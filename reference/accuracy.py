"""How exact an answer must be: every verdict has a bound that follows from arithmetic.

A reference computes in float64, integers exactly, and says next to it of which class its outputs are:

    @implements("Exp-1", accuracy=Function(k=3))
    def exp(data): ...

Which class, for whoever writes a reference:

- ``EXACT``, the default: data moves or bits are combined. Nothing to say for movement, logic, bitwise, shape.
- ``UNROUNDED``: computed, but every result is a number of the type: Abs, Maximum, Relu, Floor, comparisons. By value:
  zeros of both signs are one, subnormals may be taken for zero, inputs may be rounded to what the device computes in.
- ``Rounded()``: one operation of IEEE 754: add, subtract, multiply; divide and square root with a wider gate.
- ``Function(k=...)``: one number from one, two or three by an approximation. k from a published limit (we take the
  OpenCL full profile's ulps), ``a`` and ``scale`` only where the page's formula, computed step by step, loses them to
  cancellation: scale is what cancels, such as |x| in x·(1 + erf x). Amounts may be functions of the call.
- ``Sum(terms=...)``: adds many terms. terms is their number for one output.
- ``Product``, ``State``, ``Softmax``: many multiplications; results carried from step to step; e^z / Σ e^z.
- ``Choice(nearest)``: the page leaves a choice (equal elements in TopK, boxes of one score). ``within`` is the class of
  what was chosen.
- ``Distribution(probability)``: random numbers; ``statistics`` has the usual tests.

An operation with outputs of several classes gives a tuple, one for each output. All classes know the same about the
rest, so that a reference need not: the working precision (the coarser of the output's type and of what the device says
it computed in; inputs are then rounded to it, or not), subnormals that a device may flush, overflow to infinity,
integers that overflow, both tiers. What a page leaves open is ``silent=function(call)``: a mask of such elements.

The gate makes FAIL and has room for what honest arithmetic may do; quality is what good arithmetic does. A gate is
never widened because a device fails: the formula, its k or its scale must be wrong, and the reason stands next to it.

In all formulas ε = 2^-(fraction bits) of the working precision, u = ε/2 is the relative error of one correct rounding,
and ``tiny`` is the smallest normal number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from reference.call import Arrays, Call
from reference.precision import PRECISIONS, Precision, is_integer
from reference.statistics import Statistic, SumErrors

# A number, or a function of the call for what depends on its inputs; arrays broadcast to the output.
Amount = float | Callable[[Call], Any]


def _amount(amount: Amount, call: Call) -> np.ndarray:
    return np.asarray(amount(call) if callable(amount) else amount, np.float64)


@dataclass(frozen=True)
class Bounds:
    """The largest absolute errors of one output, both tiers; None for bit for bit. See ``comparing.Expected``.

    ``free`` marks elements that arithmetic leaves open: those that may overflow on the way, say.
    """

    gate: np.ndarray | None
    quality: np.ndarray | None = None
    flush: float = 0.0
    together: Callable[[np.ndarray], Statistic | None] | None = None
    free: np.ndarray | bool = False


@dataclass(frozen=True)
class Accuracy(ABC):
    """How exact the outputs of an operation must be.

    ``silent`` marks the elements (a boolean array that broadcasts to the output) of which the page says nothing, or
    that they are undefined: any answer passes the gate, another than the reference's is counted as coarse.
    """

    silent: Callable[[Call], np.ndarray] | None = field(default=None, kw_only=True)

    @property
    def reads_exactly(self) -> bool:
        """Whether a device must take inputs bit by bit, neither rounded to what it computes in nor flushed."""
        return False

    @abstractmethod
    def bounds(self, call: Call, place: int) -> Bounds:
        """The bounds of the output ``place`` of a call."""

    def _with_silent(self, gate: np.ndarray, call: Call) -> np.ndarray:
        return gate if self.silent is None else np.where(self.silent(call), np.inf, gate)


@dataclass(frozen=True)
class Exact(Accuracy):
    """Bit for bit: data movement, logic, bitwise operations, integers. +0 and -0 differ, any NaN equals any NaN."""

    @property
    def reads_exactly(self) -> bool:
        """Always."""
        return True

    def bounds(self, call: Call, place: int) -> Bounds:
        """None for bit for bit; by value where some elements are silent."""
        if self.silent is None:
            return Bounds(None)
        value = call.outputs[place]
        return Bounds(self._with_silent(np.zeros(value.shape), call), np.zeros(()))


EXACT = Exact()


@dataclass(frozen=True)
class Arithmetic(Accuracy):
    """What all classes with a bound share; they say only what a floating-point output may err.

    Integer outputs are exact, but for ``levels``: how many they may be off where the page allows it. Integers that
    overflow are silent; to find them the reference runs again with the first ``operands`` inputs (all, by default)
    as float64.
    """

    levels: Amount = field(default=0.0, kw_only=True)
    operands: int | None = field(default=None, kw_only=True)

    def bounds(self, call: Call, place: int) -> Bounds:
        """Those of ``real_bounds``, or of integers."""
        value = call.outputs[place]
        if call.types[place] not in PRECISIONS:
            gate = np.broadcast_to(_amount(self.levels, call), value.shape).copy()
            gate[self._overflowed(call, place)] = np.inf
            return Bounds(self._with_silent(gate, call), np.zeros(()))
        own, working = call.output_precision(place), call.precision(place)
        found = self.real_bounds(call, place, own, working)
        assert found.gate is not None
        assert found.quality is not None
        # float64 answers come from a reference that rounds as often as a device does that computes in f64.
        twice = 2.0 if own.name == working.name == "f64" else 1.0
        # Where the output's type ends before the working precision does, its last steps are all that it has.
        least = (
            own.unit * own.smallest_normal if own.smallest_normal > working.smallest_normal else 0
        )
        finite = np.isfinite(value.astype(np.float64))
        gate = np.where(found.free, np.inf, np.where(finite, twice * found.gate + least, 0.0))
        gate = self._with_silent(gate, call)
        quality = np.minimum(np.where(finite, twice * found.quality + least, 0.0), gate)
        together = found.together if own.name != "f64" else None
        return Bounds(gate, quality, max(own.smallest_normal, working.smallest_normal), together)

    @abstractmethod
    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """Both tiers for a floating-point output of precision ``own`` that is computed in ``working``."""

    def _overflowed(self, call: Call, place: int) -> np.ndarray:
        value = call.outputs[place]
        if not is_integer(value.dtype):
            return np.zeros(value.shape, bool)
        info = ml_dtypes.iinfo(value.dtype)
        wide = call.wide(self.operands)[place].astype(np.float64)
        # Results are whole numbers but for those that a page rounds: half a unit of room at the ends.
        inside = (wide >= float(info.min) - 0.5) & (wide <= float(info.max) + 0.5)
        return ~inside


@dataclass(frozen=True)
class Rounded(Arithmetic):
    """At most n half-ulps of the exact answer, from operations that IEEE 754 rounds correctly.

    ``quality`` = 1 half-ulp is the correctly rounded answer. ``gate`` = 3 is any number beside it: a rounding mode
    other than to nearest, or a second rounding on the way to a coarser type.
    """

    gate: float = 3
    quality: float = 1

    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """n half-ulps of the working precision."""
        value = call.outputs[place].astype(np.float64)
        # Numbers beside one that rounds up to a power of two lie as far apart as those above it.
        above = working.half_ulp(value * (1 + working.unit))
        return Bounds(self.gate * above, self.quality * working.half_ulp(value))


# Every result is a number of the type: nothing is rounded.
UNROUNDED = Rounded(gate=0, quality=0)


@dataclass(frozen=True)
class Function(Arithmetic):
    """ε·(k·max(|answer|, tiny) + a·scale): a function computed by an approximation.

    ``k`` is a relative error in ulps, ``a`` an absolute one in ulps of ``scale`` where the page's formula, followed
    step by step, cancels. ``quality_k`` and ``quality_a`` are those of the finer tier: a function rounded faithfully.
    """

    k: Amount = 4.0
    a: Amount = 0.0
    scale: Amount = 1.0
    quality_k: Amount = 1.0
    quality_a: Amount = 0.0

    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """The formula, for both tiers."""
        size = np.maximum(np.abs(call.outputs[place]), working.smallest_normal)
        scale = _amount(self.scale, call)
        gate = _amount(self.k, call) * size + _amount(self.a, call) * scale
        quality = _amount(self.quality_k, call) * size + _amount(self.quality_a, call) * scale
        return Bounds(working.epsilon * gate, working.epsilon * quality)


@dataclass(frozen=True)
class Sum(Arithmetic):
    """2·(k·u_acc·B + u·|answer|) for sums of k terms, B the same operation on (finite) absolute values.

    Adding k terms in any order rounds k times, each time by at most u of a partial sum, which is at most B; products
    that are summed round once more each. The factor 2 admits accumulators that round faithfully instead of correctly.
    u_acc is that of the accumulator: sums of f16 may be accumulated in f16 or f32 (gate and quality), those of bf16 and
    of 8-bit floats are in f32. Where the accumulator is finer than the output, the result is rounded once more, by
    u·|answer|. Where a device multiplies f32 data in bf16 it rounds the inputs, and so does the reference then; the sum
    itself is held to the f32 bound, and only the gate lets its result be rounded to bf16 as well. Over 1,000 outputs
    and more, ``SumErrors`` tests variance and bias.

    ``terms`` is k, or a function of the call that gives it. ``extra`` counts roundings of the result after the sum,
    such as the division of a mean; ``partial``, by what the largest partial sum exceeds B, is the divisor then.
    ``magnitude`` replaces B where it is not the operation on absolute values.
    """

    terms: Amount
    extra: float = 0.0
    partial: Amount = 1.0
    magnitude: Amount | None = None

    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """The formula with the coarsest and the finest accumulator, and the test of all outputs together."""
        exact = call.outputs[place].astype(np.float64)
        size = np.abs(exact)
        measure = self.magnitude or (lambda call: call.magnitudes[place])
        total = _amount(measure, call)
        terms = _amount(self.terms, call)
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse

        def bound(acc: Precision, last: Precision) -> np.ndarray:
            after = (last.unit if acc.fraction_bits > last.fraction_bits else 0.0) * size
            return terms * acc.unit * total + after + self.extra * acc.unit * size

        # Finite terms whose sum of magnitudes is beyond the range may overflow on the way, in some order.
        largest = total * _amount(self.partial, call)
        lost = ~np.isnan(exact) & (largest >= coarse.overflow)
        scale = np.sqrt(terms + self.extra) * coarse.unit * total
        if coarse.fraction_bits > working.fraction_bits:
            scale = np.hypot(scale, working.unit * size)
        least = working.unit * working.smallest_normal
        together = SumErrors(exact, np.broadcast_to(scale, exact.shape))
        gate, quality = 2 * bound(coarse, working), bound(fine, own)
        return Bounds(gate + least, quality + least, together=together, free=lost)


def accumulator(working: Precision) -> Precision:
    """What sums in a precision are accumulated in: itself, but f32 for formats with fewer fraction bits than f16."""
    return (
        working if working.fraction_bits >= PRECISIONS["f16"].fraction_bits else PRECISIONS["f32"]
    )


@dataclass(frozen=True)
class Product(Arithmetic):
    """2·k·u·|answer|: each of k multiplications rounds once, relative to its result.

    Partial products may overflow or vanish in one order and not in another: where the product of all factors above 1 is
    beyond the type's range, or that of all below 1 beneath it, the answer is silent. ``factors`` gives arrays, for the
    output's elements, of these two products.
    """

    terms: Amount
    factors: Callable[[Call], tuple[np.ndarray, np.ndarray]]

    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """The formula; infinite where a partial product can leave the range."""
        half = working.unit * _amount(self.terms, call) * np.abs(call.outputs[place])
        above, below = self.factors(call)
        lost = (above >= own.overflow) | ((below > 0) & (below < own.smallest_normal))
        return Bounds(2 * half, half, free=lost)


@dataclass(frozen=True)
class State(Arithmetic):
    """k·ε·scale·(1 + g + ... + g^(steps-1)): results that are carried from step to step in the output's own type.

    Each step rounds by at most k ulps of ``scale``, and multiplies the error that it was given by at most ``growth``: 1
    for sums, below 1 for gates that forget. ``quality`` is the share of it that the finer tier allows: errors of
    random sign add up to far less.
    """

    steps: Amount
    scale: Amount
    k: float = 1.0
    growth: float = 1.0
    quality: float = 0.5

    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """The formula for the number of steps that led to each element."""
        steps = _amount(self.steps, call)
        grown = self.growth
        carried = steps if grown == 1.0 else (1 - grown**steps) / (1 - grown)
        gate = self.k * working.epsilon * _amount(self.scale, call) * carried
        gate = gate + working.unit * working.smallest_normal
        return Bounds(gate, self.quality * gate)


@dataclass(frozen=True)
class Softmax(Arithmetic):
    """ε·y·(2·K + d/2 + D/2 + C/2 + 1): quotients y = e^z / Σ e^z over C elements.

    With d = |z - max z| the argument of e is rounded to within ε·d/2, which is a relative error of the result; e itself
    errs by K ulps; in the denominator both come again, D the average of d weighted by y, with C additions; one
    division. ``quality`` halves the sum's part and takes a faithful e (K = 1). ``logarithm``: log y instead, whose
    absolute error is the relative one of y, with one more rounding of each part.
    """

    axes: Callable[[Call], tuple[int, ...]]
    k: float = 3.0
    logarithm: bool = False

    def real_bounds(self, call: Call, place: int, own: Precision, working: Precision) -> Bounds:
        """The formula along the axes of the softmax."""
        axes = self.axes(call)
        data = call.reals(0)
        with np.errstate(all="ignore"):
            distance = np.nan_to_num(np.max(data, axis=axes, keepdims=True, initial=-np.inf) - data)
            weights = np.exp(-distance)
            weights /= np.sum(weights, axis=axes, keepdims=True)
        average = np.sum(weights * distance, axis=axes, keepdims=True)
        count = float(np.prod([data.shape[axis] for axis in axes]))
        answer = np.abs(call.outputs[place])
        spread = (distance + average) / 2

        def bound(k: float, terms: float) -> np.ndarray:
            relative = 2 * k + spread + terms + 1
            if self.logarithm:
                return k * (1 + answer) + spread + terms + answer
            return relative * np.maximum(answer, working.smallest_normal)

        return Bounds(
            working.epsilon * bound(self.k, count / 2), working.epsilon * bound(1.0, count / 4)
        )


@dataclass(frozen=True)
class Choice(Accuracy):
    """The admissible answer that is nearest to the one that came, held to another class.

    ``nearest`` takes the call and all outputs that came and gives all outputs of an admissible answer: of the element
    that a device chose among equals, say. It must not trust what came: where that is not admissible it gives the
    reference's own.
    """

    nearest: Callable[[Call, Sequence[np.ndarray]], Arrays]
    within: Accuracy = field(default_factory=Exact)

    @property
    def reads_exactly(self) -> bool:
        """As the class within."""
        return self.within.reads_exactly

    def bounds(self, call: Call, place: int) -> Bounds:
        """Those of the class within."""
        return self.within.bounds(call, place)


@dataclass(frozen=True)
class Distribution(Accuracy):
    """A statistical test of all elements together; any value of a single one passes if the test can have it.

    ``probability`` takes the call and what came and gives the probability that a right device answers so strangely,
    0 for a value that no right device gives; below ``error_rate`` the answer is wrong. At 1e-9 a right device is called
    wrong once in a thousand million cases.
    """

    probability: Callable[[Call, np.ndarray], float]
    error_rate: float = 1e-9

    @property
    def reads_exactly(self) -> bool:
        """Always."""
        return True

    def bounds(self, call: Call, place: int) -> Bounds:
        """Free elements, and the test."""

        def test(came: np.ndarray) -> Statistic:
            chance = self.probability(call, came)
            fraction = np.log(chance) / np.log(self.error_rate) if chance > 0 else np.inf
            text = f"a right device answers so with a probability of {chance:.2g}"
            return Statistic(float(fraction), text)

        free = np.full(call.outputs[place].shape, np.inf)
        return Bounds(free, free, together=test)
