"""What an accuracy class is, and what all classes with a bound share: tiers, overflow, subnormals, silent elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reference.accuracy.call import Call
from reference.accuracy.precision import PRECISIONS, Precision, integer_range, is_integer
from reference.accuracy.statistics import MINIMUM_OUTPUTS, Statistic, SumErrors

# A number, or a function of the call for what depends on its inputs; arrays broadcast to the output.
Amount = float | Callable[[Call], Any]


def amount_of(amount: Amount, call: Call) -> np.ndarray:
    """An amount for a call, as an array of float64."""
    return np.asarray(amount(call) if callable(amount) else amount, np.float64)


@dataclass(frozen=True)
class Bounds:
    """The largest absolute errors of one output, both tiers; None for bit for bit. See ``comparison.Expected``.

    ``free`` marks elements without a bound, for example those whose intermediate results may overflow.
    """

    bound: np.ndarray | None
    quality: np.ndarray | None = None
    flush: float = 0.0
    together: Callable[[np.ndarray], Statistic | None] | None = None
    free: np.ndarray | bool = False


@dataclass(frozen=True)
class Accuracy(ABC):
    """How exact the outputs of an operation must be.

    ``silent`` marks the elements (a boolean array that broadcasts to the output) that the page does not
    define: any value passes the bound, values other than the reference's are counted apart.
    """

    silent: Callable[[Call], np.ndarray] | None = field(default=None, kw_only=True)

    @property
    def reads_exactly(self) -> bool:
        """Whether a device must use inputs unchanged, neither rounded to its precision nor with subnormals flushed."""
        return False

    @property
    def keeps_representable(self) -> bool:
        """Whether a result that is a number of the working precision has no error, as IEEE 754 demands."""
        return False

    def tests_together(self, count: int) -> bool:
        """Whether a test of all elements together may judge an output of so many: each may be right, and all wrong."""
        return True

    @property
    def is_bit_exact(self) -> bool:
        """Whether outputs are always compared bit for bit, so that no error is a fraction of a bound."""
        return False

    @abstractmethod
    def bounds(self, call: Call, output_index: int) -> Bounds:
        """The bounds of one output of a call."""

    def caused(self, call: Call, position: int, spread: np.ndarray) -> Sequence[np.ndarray]:
        """The errors of the outputs where each element of an input may be wrong by its ``spread``, in either direction.

        Nothing where they are never larger than those of all elements moved at once.
        """
        return ()

    def _with_silent(self, bound: np.ndarray, call: Call) -> np.ndarray:
        return bound if self.silent is None else np.where(self.silent(call), np.inf, bound)


@dataclass(frozen=True)
class Exact(Accuracy):
    """Bit for bit: data movement, logic, bitwise operations, integers. +0 and -0 differ, any NaN equals any NaN."""

    @property
    def reads_exactly(self) -> bool:
        """Always."""
        return True

    def tests_together(self, count: int) -> bool:
        """Never."""
        return False

    @property
    def is_bit_exact(self) -> bool:
        """Unless some elements are silent."""
        return self.silent is None

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """Bit for bit, or by value where some elements are silent."""
        if self.silent is None:
            return Bounds(None)
        value = call.outputs[output_index]
        return Bounds(self._with_silent(np.zeros(value.shape), call), np.zeros(()))


EXACT = Exact()


@dataclass(frozen=True)
class Decided(Accuracy):
    """Integers that comparisons of data decide, such as the places of the best scores.

    They are exact, of the data as a device reads them: rounded to its precision, say.
    """

    def tests_together(self, count: int) -> bool:
        """Never."""
        return False

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """No error."""
        return Bounds(
            self._with_silent(np.zeros(call.outputs[output_index].shape), call), np.zeros(())
        )


DECIDED = Decided()


@dataclass(frozen=True)
class Arithmetic(Accuracy):
    """What all classes with a bound share; a class itself bounds only the error of floating-point outputs.

    Integer outputs are exact within ``levels``, a difference that the page allows. Integers that overflow are silent;
    to find them the reference runs again with the first ``operands`` inputs (all, by default)
    as float64.
    """

    levels: Amount = field(default=0.0, kw_only=True)
    operands: int | None = field(default=None, kw_only=True)

    def tests_together(self, count: int) -> bool:
        """Whether all errors are tested together: those of sums are, which some classes are made of."""
        return count >= MINIMUM_OUTPUTS

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """The bounds of ``real_bounds``, or those of an integer output."""
        value = call.outputs[output_index]
        if call.types[output_index] not in PRECISIONS:
            bound = np.broadcast_to(amount_of(self.levels, call), value.shape).copy()
            bound[self._overflowed(call, output_index)] = np.inf
            return Bounds(self._with_silent(bound, call), np.zeros(()))
        own, working = call.output_precision(output_index), call.precision(output_index)
        is_finer = working.fraction_bits > own.fraction_bits
        if is_finer:
            found = self._rounded_once(call, output_index, own, working)
        else:
            found = self.real_bounds(call, output_index, own, working)
        assert found.bound is not None
        assert found.quality is not None
        # Where a device computes in f64 the reference rounds as often as the device.
        twice = 2.0 if own.name == working.name == "f64" else 1.0
        # Where the output's type has the smaller range, its smallest subnormal is the smallest error.
        has_least = not is_finer and own.smallest_normal > working.smallest_normal
        least = own.unit * own.smallest_normal if has_least else 0.0
        finite = np.isfinite(value.astype(np.float64))
        bound = np.where(found.free, np.inf, np.where(finite, twice * found.bound + least, 0.0))
        bound = self._with_silent(bound, call)
        quality = np.minimum(np.where(finite, twice * found.quality + least, 0.0), bound)
        together = found.together if own.name != "f64" else None
        if isinstance(together, SumErrors):
            # What the page does not define has no part in the test of all outputs together.
            # Each output is rounded once at least, a subnormal number by as much as the smallest normal one.
            scale = np.hypot(together.scale, own.unit * own.smallest_normal)
            is_silent = np.isinf(bound) | (together.scale == 0)
            together = replace(together, scale=np.where(is_silent, 0.0, scale))
        return Bounds(bound, quality, max(own.smallest_normal, working.smallest_normal), together)

    def _rounded_once(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bounds where a kernel computes in a finer precision than the output's type.

        They are those of that precision, as if the output were of it, and one rounding to the output's type: half an
        ulp in the quality tier, in any direction in the bound. They are never wider than those of the output's type:
        where all results are numbers of the type there is nothing to round.
        """
        fine = self.real_bounds(call, output_index, working, working)
        in_type = replace(call, by_kernel=False, device_precision=None, cache={})
        most = self.real_bounds(in_type, output_index, own, own)
        assert fine.bound is not None
        assert fine.quality is not None
        assert most.bound is not None
        size = np.abs(call.outputs[output_index].astype(np.float64))
        # The error of the computation may reach the next power of two, where steps are twice as long.
        bound = fine.bound + 2 * own.half_ulp(size + fine.bound)
        quality = fine.quality + own.half_ulp(size)
        together = fine.together
        if isinstance(together, SumErrors):
            together = replace(together, scale=np.hypot(together.scale, own.unit * size))
        bound = np.minimum(bound, np.where(most.free, np.inf, most.bound))
        return replace(fine, bound=bound, quality=quality, together=together)

    @abstractmethod
    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """Both tiers for a floating-point output of precision ``own`` that is computed in ``working``."""

    def _overflowed(self, call: Call, output_index: int) -> np.ndarray:
        value = call.outputs[output_index]
        if not is_integer(value.dtype):
            return np.zeros(value.shape, bool)
        least, most = integer_range(value.dtype)
        wide = call.wide(self.operands)[output_index].astype(np.float64)
        # A page may round results to integers: half a unit is allowed at the ends.
        inside = (wide >= float(least) - 0.5) & (wide <= float(most) + 0.5)
        return ~inside


@dataclass(frozen=True)
class Depending(Accuracy):
    """The class that ``choose`` returns for a call and an output index; it must not be a Choice."""

    choose: Callable[[Call, int], Accuracy]

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """The bounds of that class."""
        return self.choose(call, output_index).bounds(call, output_index)
