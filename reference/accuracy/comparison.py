"""Compares an actual output with the expected one: bit for bit, or within a bound.

+0 and -0 differ where an output must be exact bit for bit; any NaN equals any NaN. Within a bound, zeros of both signs
are equal. The exact value rounded to the tested type always passes. An infinity passes only where the exact value, or a
number within the bound of it, rounds to infinity. A NaN for a number and a number for a NaN fail with any bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from reference.accuracy.precision import is_float, is_integer, precision_of, rounded
from reference.accuracy.statistics import Statistic, SumErrors

# Allows for the float64 rounding errors of the bounds themselves.
_SLACK = 1 + 2.0**-30


@dataclass(frozen=True)
class Expected:
    """The expected values of one output, with their bounds.

    ``value`` is exact, or rounded nowhere but in float64; ``bound`` and ``quality`` are the largest absolute errors
    that the two tiers allow, broadcastable to the value, None for bit for bit; an infinite one admits any value. Values
    smaller than ``flush`` may become zero. ``others`` are admissible as well, element by element: the outputs for other
    readings of the inputs. ``together`` tests all elements at once. ``choose`` takes all actual outputs and returns the
    nearest admissible output, where the page leaves a choice. ``is_rounded``: no bounds were built, and of the real
    numbers the rounded ones are expected, bit for bit.
    """

    value: np.ndarray
    bound: np.ndarray | None = None
    quality: np.ndarray | None = None
    flush: float = 0.0
    others: tuple[Expected, ...] = ()
    together: Callable[[np.ndarray], Statistic | None] | None = None
    choose: Callable[[Sequence[np.ndarray]], Expected] | None = None
    is_rounded: bool = False

    def chosen(self, actual: Sequence[np.ndarray]) -> Expected:
        """The admissible output nearest to all actual outputs: itself, unless the page leaves a choice."""
        if self.choose is None:
            return self
        with np.errstate(all="ignore"):
            found = self.choose(actual)
        return replace(found, others=(*found.others, *(o.chosen(actual) for o in self.others)))

    def allowed_errors(self, *, quality: bool = False) -> np.ndarray | None:
        """The largest absolute error of each element that the bound, or the quality tier, allows; None for bit for bit.

        The errors of values that may become zero are included. Where the page is silent any error is allowed.
        """
        tier = self.quality if quality else self.bound
        if tier is None:
            return None
        size = np.abs(self.value.astype(np.float64))
        allowed: np.ndarray = np.maximum(tier, np.where(size < self.flush, size, 0.0))
        if self.bound is not None:
            allowed = np.where(np.isposinf(self.bound), np.inf, allowed)
        return allowed

    @property
    def is_random(self) -> bool:
        """Whether only the distribution of all elements is fixed, so that two runs may differ."""
        free = self.bound is not None and bool(np.all(np.isinf(self.bound)))
        # The errors of sums are told from a bias as well, but each sum has its own value.
        return free and self.together is not None and not isinstance(self.together, SumErrors)


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison. ``wrong`` counts elements outside the bound, ``coarse`` those outside quality alone.

    ``open`` counts elements that differ where the page is silent, so that the bound admits any value; they are neither.
    ``fraction`` is the worst error as a fraction of the bound (infinite for a wrong element that must be exact),
    None where every element must be exact and is, 0 where each is the exact value as its type rounds it. ``statistic``
    names the test of all elements that failed; then all of them count as wrong. ``relative_error`` is the largest error
    of the wrong elements relative to the expected ones. The other fields describe the worst element. An output of
    another shape has no ``index``: ``expected`` and ``actual`` name the shapes.
    """

    wrong: int
    coarse: int
    of: int
    fraction: float | None = None
    index: tuple[int, ...] | None = None
    expected: str = ""
    actual: str = ""
    low: str = ""
    high: str = ""
    statistic: str = ""
    open: int = 0
    relative_error: float | None = None

    def with_statistics(self, found: Sequence[Statistic]) -> Comparison:
        """With the results of tests of all elements, one for each reading of the inputs: the best one decides."""
        if not found:
            return self
        best = min(found, key=lambda statistic: statistic.fraction)
        worse = max(self.fraction or 0.0, best.fraction)
        if best.fraction <= 1:
            return replace(self, fraction=worse)
        return replace(self, fraction=worse, wrong=self.of, coarse=0, open=0, statistic=best.text)


def compare(expected: Expected, actual: np.ndarray) -> Comparison:
    """Compare values of one dtype; of an output of another shape every element is wrong."""
    if actual.shape != expected.value.shape:
        return _of_another_shape(expected.value, actual)
    if expected.bound is None:
        found = _exact(expected.value, actual)
        return replace(found, fraction=0.0) if expected.is_rounded and not found.wrong else found
    return _within(expected, actual)


def wrong_elements(expected: Expected, actual: np.ndarray) -> np.ndarray:
    """Return which elements of values of one shape are wrong, as booleans of that shape."""
    if expected.bound is None:
        return ~_same_bits(_as_type(expected.value, actual.dtype), actual)
    if not actual.size:
        return np.zeros(actual.shape, bool)
    fraction, _ = _least_fractions((expected, *expected.others), actual)
    wrong: np.ndarray = fraction > 1
    return wrong


def _of_another_shape(expected: np.ndarray, actual: np.ndarray) -> Comparison:
    """No element has a counterpart; one is counted where none is expected, so that an empty output is wrong as well."""
    right, given = (f"shape {list(each.shape)}" for each in (expected, actual))
    return Comparison(
        max(expected.size, 1), 0, expected.size, np.inf, None, right, given, right, right
    )


def _exact(expected: np.ndarray, actual: np.ndarray) -> Comparison:
    expected = _as_type(expected, actual.dtype)
    same = _same_bits(expected, actual)
    count = int(expected.size - np.count_nonzero(same))
    if not count:
        return Comparison(0, 0, expected.size)
    index = _first(~same)
    worst = _text(expected[index])
    return Comparison(
        count,
        0,
        expected.size,
        np.inf,
        index,
        worst,
        _text(actual[index]),
        worst,
        worst,
        relative_error=_relative_error(expected, actual, ~same),
    )


def _as_type(values: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    if values.dtype == dtype:
        return values
    return rounded(values, dtype) if values.dtype == np.float64 else values.astype(dtype)


def _same_bits(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    if expected.dtype == object:
        return np.equal(expected, actual).astype(bool)
    if is_float(expected.dtype):
        bits = np.dtype(f"u{expected.dtype.itemsize}")
        same = np.asarray(expected, order="C").view(bits) == np.asarray(actual, order="C").view(
            bits
        )
        return same | (np.isnan(expected) & np.isnan(actual))
    return expected == actual


def _within(expected: Expected, actual: np.ndarray) -> Comparison:
    if not actual.size:
        return Comparison(0, 0, 0, 0.0)
    readings = (expected, *expected.others)
    fraction, finer = _least_fractions(readings, actual)
    wrong, differs = fraction > 1, (finer > 1) & (fraction <= 1)
    differing = int(np.count_nonzero(differs))
    silent = differs & _is_silent(readings) if differing else differs
    admitted = int(np.count_nonzero(silent))
    index = _worst(fraction if fraction.any() else finer)
    exact, bound = expected.value[index], _element(expected.bound, expected.value.shape, index)
    comparison = Comparison(
        int(np.count_nonzero(wrong)),
        differing - admitted,
        actual.size,
        float(fraction[index]),
        index,
        _text(exact),
        _text(actual[index]),
        _text(_added(exact, -bound)),
        _text(_added(exact, bound)),
        open=admitted,
        relative_error=_relative_error(expected.value, actual, wrong) if wrong.any() else None,
    )
    return _with_statistics(comparison, readings, actual)


def _least_fractions(
    readings: Sequence[Expected], actual: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each element's error as a fraction of the bounds of both tiers, by the reading for which it is least."""
    tiers = [_fractions(reading, actual) for reading in readings]
    if len(tiers) == 1:
        return tiers[0]
    bounds, finer = zip(*tiers, strict=True)
    return np.minimum.reduce(bounds), np.minimum.reduce(finer)


def _is_silent(readings: Sequence[Expected]) -> np.ndarray:
    """The elements for which the page admits any value, by one reading at least, broadcastable to the output."""
    found = np.zeros((), bool)
    for each in readings:
        assert each.bound is not None
        found = found | (np.asarray(each.bound) == np.inf)
    return found


def _with_statistics(
    comparison: Comparison, readings: Sequence[Expected], actual: np.ndarray
) -> Comparison:
    tests = [r.together for r in readings if r.together is not None]
    if not tests or comparison.wrong:
        return comparison
    values = actual.astype(np.float64)
    return comparison.with_statistics([s for test in tests if (s := test(values)) is not None])


def _fractions(expected: Expected, actual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each element's error as a fraction of the bounds of both tiers, infinite where a bound is 0."""
    assert expected.bound is not None
    if is_float(actual.dtype):
        fraction_of = _real_fractions(expected.value, expected.flush, actual)
    elif is_integer(actual.dtype):
        distance = _distance(_as_integers(expected.value, actual), actual)
        fraction_of = partial(_fraction_of, distance)
    else:
        unequal = np.where(expected.value == actual, 0.0, np.inf)
        fraction_of = lambda _: unequal  # noqa: E731

    def within(allowed: np.ndarray) -> np.ndarray:
        bound = np.broadcast_to(np.asarray(allowed, np.float64), actual.shape)
        # An infinite bound admits any value: the page does not define this element.
        return np.where(bound == np.inf, 0.0, fraction_of(bound))

    of_bound = within(expected.bound)
    return of_bound, of_bound if expected.quality is None else within(expected.quality)


def _real_fractions(
    value: np.ndarray, flush: float, actual: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """What gives each element's error as a fraction of a bound."""
    with np.errstate(all="ignore"):  # a device may give a signalling NaN
        exact, given = value.astype(np.float64), actual.astype(np.float64)
        error = np.abs(given - exact)
        is_zero = (given == 0) & (np.abs(exact) < flush)
        special = ~np.isfinite(exact) | ~np.isfinite(given)
        has_special = bool(special.any())
        in_type = rounded(exact, actual.dtype).astype(np.float64)
        # A type without infinities overflows to NaN.
        same = (in_type == given) | (np.isnan(in_type) & np.isnan(given))

    def fraction_of(bound: np.ndarray) -> np.ndarray:
        fraction = _fraction_of(error, bound)
        if has_special:
            fraction = np.where(special, _special_fractions(exact, given, actual, bound), fraction)
        fraction = np.where(is_zero, 0.0, fraction)
        return np.where(same, np.where(special, 0.0, np.minimum(fraction, 1.0)), fraction)

    return fraction_of


def _special_fractions(
    exact: np.ndarray, given: np.ndarray, actual: np.ndarray, bound: np.ndarray
) -> np.ndarray:
    """The fractions of elements whose exact value or given value is not finite."""
    precision = precision_of(actual.dtype)
    limit = precision.overflow if precision else np.inf
    with np.errstate(all="ignore"):
        # The error of an infinity is the distance to the first number that rounds to infinity.
        to_infinity = _fraction_of(np.maximum(limit - np.abs(exact), 0), bound)
        towards = np.isinf(given) & np.isfinite(exact) & (np.sign(given) == np.sign(exact))
    return np.where(towards, to_infinity, np.inf)


def _fraction_of(error: np.ndarray, bound: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.where(error == 0, 0.0, error / (bound * _SLACK))


def _distance(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """|actual - expected| of integers as float64; 64-bit differences are computed modulo 2^64 and so are exact."""
    unsigned = expected.dtype.kind == "u"
    a, b = (values.astype(np.uint64 if unsigned else np.int64) for values in (expected, actual))
    low, high = np.minimum(a, b).astype(np.uint64), np.maximum(a, b).astype(np.uint64)
    # NumPy warns of wrapping scalars, which is intended here.
    with np.errstate(over="ignore"):
        return np.asarray(high - low).astype(np.float64)


def _as_integers(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Expected values in the integer type of the actual ones; what that cannot hold is not defined, and not judged."""
    with np.errstate(invalid="ignore"):
        return expected.astype(actual.dtype)


def _relative_error(expected: np.ndarray, actual: np.ndarray, wrong: np.ndarray) -> float:
    """The largest error of the wrong elements relative to the expected ones, infinite where it is not a number."""
    if expected.dtype == object or expected.dtype == bool or actual.dtype == bool:
        return np.inf
    with np.errstate(invalid="ignore"):  # a device may give a signalling NaN
        right, given = expected[wrong].astype(np.float64), actual[wrong].astype(np.float64)
    if is_integer(actual.dtype):
        error = _distance(_as_integers(expected[wrong], actual), actual[wrong])
    else:
        with np.errstate(all="ignore"):
            error = np.abs(given - right)
    with np.errstate(all="ignore"):
        relative = error / np.abs(right)
    return float(np.max(np.where(np.isnan(relative), np.inf, relative)))


def _worst(fraction: np.ndarray) -> tuple[int, ...]:
    return _first(fraction == np.max(fraction))


def _element(array: np.ndarray | None, shape: tuple[int, ...], index: tuple[int, ...]) -> float:
    assert array is not None
    return float(np.broadcast_to(array, shape)[index])


def _added(value: np.generic, bound: float) -> object:
    """The sum of a value and a bound; integers without a bound stay exact."""
    return value if bound == 0 else float(value) + bound


def _first(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def _text(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "...")
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)
