"""The classes of elementwise results: each output element is computed from one element of every input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reference.accuracy.base import Amount, Arithmetic, Bounds, amount_of
from reference.accuracy.call import Call
from reference.accuracy.precision import PRECISIONS, Precision


@dataclass(frozen=True)
class Rounded(Arithmetic):
    """At most n half-ulps of the exact answer, from operations that IEEE 754 rounds correctly.

    ``quality`` = 1 half-ulp is the correctly rounded answer. ``bound`` = 3 admits both neighbours of the exact
    answer: another rounding mode, or a second rounding to a coarser type.
    """

    bound: float = 3
    quality: float = 1

    def tests_together(self, count: int) -> bool:
        """Never."""
        return False

    @property
    def keeps_representable(self) -> bool:
        """Unless a wider bound admits an approximation, as of a quotient."""
        return self.bound <= 3

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """n half-ulps of the working precision."""
        value = call.outputs[output_index].astype(np.float64)
        # The neighbours of a value that rounds up to a power of two have the distance of those above it.
        above = working.half_ulp(value * (1 + working.unit))
        return Bounds(self.bound * above, self.quality * working.half_ulp(value))


# Every result is a number of the type: nothing is rounded.
UNROUNDED = Rounded(bound=0, quality=0)


# The most ulps of a function that is evaluated in a narrow type. OpenCL's limits for float are not limits of types with
# fewer bits: its limits for half are at most 4 ulps (erf, pow; 2 for exp, tanh). No published limit has even fewer
# bits: such functions are evaluated in a wider type and rounded, faithfully, and one ulp is added to that.
_NARROW_K = {"f16": 4.0}
_LEAST_K = 2.0


def function_ulps(k: float, working: Precision) -> float:
    """The ulps of a function that may err by ``k`` ulps in f32, when it is evaluated in a working precision."""
    if working.fraction_bits >= PRECISIONS["f32"].fraction_bits:
        return k
    return min(k, _NARROW_K.get(working.name, _LEAST_K))


@dataclass(frozen=True)
class Function(Arithmetic):
    """ε·(k·max(|answer|, tiny) + a·scale): a function computed by an approximation.

    ``k`` is a relative error in ulps, ``a`` an absolute one in ulps of ``scale`` where the page's formula, followed
    step by step, cancels. A number ``k`` is the limit for f32; narrow types have a few ulps (:func:`function_ulps`); a
    function of the call is taken as it is. ``quality_k`` and ``quality_a`` are those of the finer tier: a faithfully
    rounded function. ``flushed`` is what the result loses, in both tiers, where a factor or a term of the formula is so
    small that a device may flush it to zero, although the result is not; ``flushed_factor`` has that of a product.
    """

    k: Amount = 4.0
    a: Amount = 0.0
    scale: Amount = 1.0
    quality_k: Amount = 1.0
    quality_a: Amount = 0.0
    flushed: Amount = 0.0

    def tests_together(self, count: int) -> bool:
        """Never."""
        return False

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        size = np.maximum(np.abs(call.outputs[output_index]), working.smallest_normal)
        scale = amount_of(self.scale, call)
        k = amount_of(self.k, call)
        if not callable(self.k):
            k = np.asarray(function_ulps(self.k, working))
        bound = k * size + amount_of(self.a, call) * scale
        quality = amount_of(self.quality_k, call) * size + amount_of(self.quality_a, call) * scale
        lost = amount_of(self.flushed, call)
        return Bounds(working.epsilon * bound + lost, working.epsilon * quality + lost)


@dataclass(frozen=True)
class Periodic(Function):
    """A function of an angle: within the bound of that it may turn back, or have a pole.

    ``extremes`` are angles with what the function is there, infinite at a pole; they come again after each ``period``.
    """

    extremes: Sequence[tuple[float, float]] = ()
    period: float = 2 * np.pi

    def caused(self, call: Call, position: int, spread: np.ndarray) -> Sequence[np.ndarray]:
        """How far the extremes are from the result that lie within the bound of the angle."""
        angle, result = call.reals(0), call.outputs[0].astype(np.float64)
        found = np.zeros(result.shape)
        for place, value in self.extremes:
            least = np.ceil((angle - spread - place) / self.period)
            most = np.floor((angle + spread - place) / self.period)
            found = np.where(least <= most, np.maximum(found, np.abs(value - result)), found)
        return [np.where(spread > 0, found, 0.0)]


def flushed_factor(result: np.ndarray, rest: np.ndarray | float, working: Precision) -> np.ndarray:
    """What a ``result``, or a term of it, loses where a factor of it may be flushed to zero: all, or nothing.

    ``rest`` is the largest number by which a factor, or a product on the way, is multiplied to give the result. It is
    flushed where it is below the smallest normal number; an error of a few ulps may bring it there.
    """
    size = np.abs(result)
    with np.errstate(all="ignore"):
        low = size < working.smallest_normal * (1 + 16 * working.epsilon) * np.abs(rest)
    return np.where(low & np.isfinite(size), size, 0.0)
