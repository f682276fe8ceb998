"""Compares an answer with what is right: bit for bit, or within an allowed error.

+0 and -0 differ where an answer must be exact to the bit; any NaN equals any NaN. Within an allowed error, zeros of
both signs are one number. The exact answer rounded to the tested type is always right, which also says what may become
an infinity: one where the exact answer, or a number within the error of it, rounds to infinity, and nothing else. A NaN
for a number and a number for a NaN are wrong, whatever error is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reference.accuracy.precision import is_float, is_integer, precision_of, rounded
from reference.accuracy.statistics import Statistic

# Room for the rounding of float64 in the bounds themselves.
_SLACK = 1 + 2.0**-30


@dataclass(frozen=True)
class Expected:
    """What is right for one output.

    ``value`` is exact, or rounded nowhere but in float64; ``gate`` and ``quality`` are the largest absolute errors
    that the two tiers allow, broadcastable to the value, None for bit for bit; an infinite one admits anything. Numbers
    smaller than ``flush`` may come as zero. ``others`` are right as well, element by element: the answers for other
    readings of the inputs. ``together`` tests all elements at once. ``choose`` gives, from all outputs that came,
    the admissible answer that is nearest to them, where the page leaves a choice.
    """

    value: np.ndarray
    gate: np.ndarray | None = None
    quality: np.ndarray | None = None
    flush: float = 0.0
    others: tuple[Expected, ...] = ()
    together: Callable[[np.ndarray], Statistic | None] | None = None
    choose: Callable[[Sequence[np.ndarray]], Expected] | None = None

    def chosen(self, came: Sequence[np.ndarray]) -> Expected:
        """What is right in view of all outputs that came: itself, unless the page leaves a choice."""
        if self.choose is None:
            return self
        return replace(self.choose(came), others=tuple(o.chosen(came) for o in self.others))

    @property
    def is_random(self) -> bool:
        """Whether only the distribution of all elements is fixed, so that two answers to one question are right."""
        free = self.gate is not None and bool(np.all(np.isinf(self.gate)))
        return free and self.together is not None


@dataclass(frozen=True)
class Comparison:
    """How an answer compares. ``wrong`` counts elements outside the gate, ``coarse`` those outside the quality bound.

    ``fraction`` is the worst error as a share of what the gate allows (infinite for an exact answer that is wrong),
    None where every answer is exact and right. ``statistic`` says which test of all elements together failed; then
    all of them count as wrong. The rest tells of the worst element.
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


def compare(expected: Expected, actual: np.ndarray) -> Comparison:
    """Compare values of one shape and one dtype. Raises ValueError when the shapes differ."""
    if actual.shape != expected.value.shape:
        raise ValueError(f"shapes differ: {expected.value.shape} and {actual.shape}")
    if expected.gate is None:
        return _exact(expected.value, actual)
    return _within(expected, actual)


def _exact(expected: np.ndarray, actual: np.ndarray) -> Comparison:
    if expected.dtype != actual.dtype:
        reals = expected.dtype == np.float64
        expected = rounded(expected, actual.dtype) if reals else expected.astype(actual.dtype)
    same = _same_bits(expected, actual)
    count = int(expected.size - np.count_nonzero(same))
    if not count:
        return Comparison(0, 0, expected.size)
    index = _first(~same)
    worst = _text(expected[index])
    return Comparison(
        count, 0, expected.size, np.inf, index, worst, _text(actual[index]), worst, worst
    )


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
    fraction = np.minimum.reduce([_fractions(r, r.gate, actual) for r in readings])
    finer = np.minimum.reduce([_fractions(r, r.quality, actual) for r in readings])
    wrong, coarse = fraction > 1, finer > 1
    index = _worst(fraction if fraction.any() else finer)
    right, gate = expected.value[index], _element(expected.gate, expected.value.shape, index)
    found = Comparison(
        int(np.count_nonzero(wrong)),
        int(np.count_nonzero(coarse & ~wrong)),
        actual.size,
        float(fraction[index]),
        index,
        _text(right),
        _text(actual[index]),
        _text(_moved(right, -gate)),
        _text(_moved(right, gate)),
    )
    return _with_statistics(found, readings, actual)


def _with_statistics(
    found: Comparison, readings: Sequence[Expected], actual: np.ndarray
) -> Comparison:
    tests = [r.together for r in readings if r.together is not None]
    if not tests or found.wrong:
        return found
    came = actual.astype(np.float64)
    statistics = [statistic for test in tests if (statistic := test(came)) is not None]
    if not statistics:
        return found
    best = min(statistics, key=lambda statistic: statistic.fraction)
    worse = max(found.fraction or 0.0, best.fraction)
    if best.fraction <= 1:
        return replace(found, fraction=worse)
    return replace(found, fraction=worse, wrong=found.of, coarse=0, statistic=best.text)


def _fractions(right: Expected, allowed: np.ndarray | None, actual: np.ndarray) -> np.ndarray:
    """Each element's error as a fraction of what is allowed, infinite where nothing is."""
    if allowed is None:
        allowed = right.gate
    assert allowed is not None
    bound = np.broadcast_to(np.asarray(allowed, np.float64), actual.shape)
    if is_float(actual.dtype):
        fraction = _real_fractions(right.value, bound, right.flush, actual)
    elif is_integer(actual.dtype):
        fraction = _share(_distance(right.value.astype(actual.dtype), actual), bound)
    else:
        fraction = np.where(right.value == actual, 0.0, np.inf)
    # An infinite bound admits anything: the page says nothing about this element.
    return np.where(np.isposinf(bound), 0.0, fraction)


def _real_fractions(
    value: np.ndarray, bound: np.ndarray, flush: float, actual: np.ndarray
) -> np.ndarray:
    right, came = value.astype(np.float64), actual.astype(np.float64)
    with np.errstate(all="ignore"):
        fraction = _share(np.abs(came - right), bound)
        precision = precision_of(actual.dtype)
        limit = precision.overflow if precision else np.inf
        # To infinity an error counts from where numbers begin to round to it.
        to_infinity = _share(np.maximum(limit - np.abs(right), 0), bound)
        towards = np.isinf(came) & np.isfinite(right) & (np.sign(came) == np.sign(right))
        special = ~np.isfinite(right) | ~np.isfinite(came)
        fraction = np.where(special, np.where(towards, to_infinity, np.inf), fraction)
        fraction = np.where((came == 0) & (np.abs(right) < flush), 0.0, fraction)
        in_type = rounded(right, actual.dtype).astype(np.float64)
        # NaN is also how a type without infinities overflows.
        same = (in_type == came) | (np.isnan(in_type) & np.isnan(came))
    return np.where(same, np.where(special, 0.0, np.minimum(fraction, 1.0)), fraction)


def _share(error: np.ndarray, bound: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.where(error == 0, 0.0, error / (bound * _SLACK))


def _distance(right: np.ndarray, came: np.ndarray) -> np.ndarray:
    """|came - right| of integers as float64; differences of 64-bit numbers are taken modulo 2^64 and so are exact."""
    unsigned = right.dtype.kind == "u"
    a, b = (values.astype(np.uint64 if unsigned else np.int64) for values in (right, came))
    low, high = np.minimum(a, b).astype(np.uint64), np.maximum(a, b).astype(np.uint64)
    # Of no dimension, numbers that wrap as they should are warned of.
    with np.errstate(over="ignore"):
        return np.asarray(high - low).astype(np.float64)


def _worst(fraction: np.ndarray) -> tuple[int, ...]:
    return _first(fraction == np.max(fraction))


def _element(array: np.ndarray | None, shape: tuple[int, ...], index: tuple[int, ...]) -> float:
    assert array is not None
    return float(np.broadcast_to(array, shape)[index])


def _moved(value: np.generic, by: float) -> object:
    """A value and a bound added; integers without a bound stay exact."""
    return value if by == 0 else float(value) + by


def _first(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def _text(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "...")
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)
