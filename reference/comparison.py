"""Compares an answer with what is right: bit for bit, or within an allowed error.

+0 and -0 differ where an answer must be exact; any NaN equals any NaN. A NaN for a number, a number for a NaN, an
infinity for a finite value and the other way round are always wrong, whatever error is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Expected:
    """What is right for one output.

    ``value`` is exact, or rounded nowhere but in float64; ``gate`` and ``quality`` are the largest absolute errors that
    the two tiers allow, broadcastable to the value, None for bit for bit.
    """

    value: np.ndarray
    gate: np.ndarray | None = None
    quality: np.ndarray | None = None


@dataclass(frozen=True)
class Comparison:
    """How an answer compares. ``wrong`` counts elements outside the gate, ``coarse`` those outside the quality bound.

    ``fraction`` is the worst error as a share of what the gate allows (infinite for an exact answer that is wrong),
    None where every answer is exact and right. The rest tells of the worst element.
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


def compare(expected: Expected, actual: np.ndarray) -> Comparison:
    """Compare values of one shape and one dtype. Raises ValueError when the shapes differ."""
    if actual.shape != expected.value.shape:
        raise ValueError(f"shapes differ: {expected.value.shape} and {actual.shape}")
    if expected.gate is None:
        return _exact(expected.value, actual)
    return _within(expected, actual)


def _exact(expected: np.ndarray, actual: np.ndarray) -> Comparison:
    expected = expected if expected.dtype == actual.dtype else expected.astype(actual.dtype)
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
    if _is_float(expected.dtype):
        bits = np.dtype(f"u{expected.dtype.itemsize}")
        same = np.ascontiguousarray(expected).view(bits) == np.ascontiguousarray(actual).view(bits)
        return same | (np.isnan(expected) & np.isnan(actual))
    return expected == actual


def _is_float(dtype: np.dtype) -> bool:
    # ml_dtypes' floats are of kind V or f; its integers, like NumPy's, are neither.
    return dtype.kind == "f" or (dtype.kind == "V" and "float" in dtype.name)


def _within(expected: Expected, actual: np.ndarray) -> Comparison:
    assert expected.gate is not None
    right = expected.value.astype(np.float64)
    came = actual.astype(np.float64)
    gate = np.broadcast_to(expected.gate, right.shape)
    wrong, fraction = _outside(right, came, gate)
    coarse = np.zeros_like(wrong)
    if expected.quality is not None:
        coarse = _outside(right, came, np.broadcast_to(expected.quality, right.shape))[0] & ~wrong
    if not right.size:
        return Comparison(0, 0, 0, 0.0)
    flat = int(np.argmax(np.where(np.isnan(fraction), np.inf, fraction)))
    index = tuple(int(i) for i in np.unravel_index(flat, right.shape))
    return Comparison(
        int(np.count_nonzero(wrong)),
        int(np.count_nonzero(coarse)),
        right.size,
        float(fraction[index]),
        index,
        _text(right[index]),
        _text(came[index]),
        _text(right[index] - gate[index]),
        _text(right[index] + gate[index]),
    )


def _outside(
    right: np.ndarray, came: np.ndarray, allowed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which elements are outside, and each error as a fraction of what is allowed."""
    with np.errstate(all="ignore"):
        error = np.abs(came - right)
        fraction = np.where(error == 0, 0.0, error / allowed)
    same_special = (np.isnan(right) & np.isnan(came)) | ((right == came) & np.isinf(right))
    special = ~np.isfinite(right) | ~np.isfinite(came)
    # An infinite bound admits any number: the page says nothing about this element.
    free = np.isposinf(allowed)
    fraction = np.where(special, np.where(same_special | free, 0.0, np.inf), fraction)
    fraction = np.where(free, 0.0, fraction)
    return ~(fraction <= 1), fraction


def _first(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def _text(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "...")
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)
