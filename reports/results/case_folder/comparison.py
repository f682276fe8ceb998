"""An actual output compared with the expected one, element by element."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np


class ElementComparison(NamedTuple):
    """How an output differs, element by element, each array in the output's shape."""

    wrong: np.ndarray  # bool
    error: np.ndarray  # float64, |actual - expected|; NaN where only one of them is a number
    fraction: np.ndarray  # float64, the error as a fraction of the allowed one
    open: np.ndarray  # bool, differs where any value is allowed, since the specification is silent


def compare(
    expected: np.ndarray,
    actual: np.ndarray,
    allowed: np.ndarray | None,
    exact: np.ndarray | None = None,
) -> ElementComparison:
    """Compare decoded values of the same shape.

    ``exact`` are the expected values before they were rounded to their type, from which errors are counted.

    ``allowed`` is the largest allowed absolute error, broadcastable to the shape (inf: any value
    is allowed), or None for bit for bit: any NaN equals any NaN, +0 differs from -0.
    """
    if expected.dtype.kind in "OU":
        wrong = np.asarray(expected != actual, bool).reshape(expected.shape)
        fraction = np.where(wrong, np.inf, 0.0)
        return ElementComparison(wrong, wrong.astype(np.float64), fraction, np.zeros_like(wrong))
    with np.errstate(all="ignore"):
        both_nan = np.zeros(expected.shape, bool)
        same = np.asarray(expected == actual, bool)
        if expected.dtype.kind == "f":
            both_nan = np.isnan(expected) & np.isnan(actual)
            if allowed is None:
                same = same & (np.signbit(expected) == np.signbit(actual))
        same = same | both_nan
        error = np.where(same, 0.0, _distance(expected if exact is None else exact, actual))
        if allowed is None:
            return ElementComparison(~same, error, np.where(same, 0.0, np.inf), np.zeros_like(same))
        limit = np.broadcast_to(np.asarray(allowed, np.float64), expected.shape)
        wrong = ~(same | (error <= limit) | np.isposinf(limit))
        fraction = np.where(same | np.isposinf(limit), 0.0, error / limit)
        fraction = np.where(wrong & np.isnan(fraction), np.inf, fraction)
    return ElementComparison(wrong, error, fraction, ~same & np.isposinf(limit))


def _distance(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """|actual - expected| as float64; exact also for 64-bit integers."""
    if expected.dtype.kind in "iu" and expected.dtype.itemsize == 8:
        apart = expected != actual
        distance = np.zeros(expected.shape)
        exact = abs(actual[apart].astype(object) - expected[apart].astype(object))
        distance[apart] = exact.astype(np.float64)
        return distance
    return np.abs(actual.astype(np.float64) - expected.astype(np.float64))


def worst(comparison: ElementComparison, count: int = 1) -> list[tuple[int, ...]]:
    """Indices of the ``count`` worst wrong elements: by fraction of the bound, then by error."""
    wrong = np.flatnonzero(comparison.wrong)
    error = comparison.error.reshape(-1)[wrong]
    error = np.where(np.isnan(error), np.inf, error)
    order = np.lexsort((wrong, -error, -comparison.fraction.reshape(-1)[wrong]))[:count]
    shape = comparison.wrong.shape
    return [tuple(int(i) for i in np.unravel_index(wrong[k], shape)) for k in order]


def show(value: Any) -> str:
    """Return one element as text, in full precision."""
    return json.dumps(str(value)) if isinstance(value, str) else str(value)


def interval(expected: Any, allowed: float | None) -> tuple[str, str]:
    """Return the lowest and the highest admissible value of one element, as text."""
    if allowed is None or isinstance(expected, str):
        return show(expected), show(expected)
    if np.isposinf(allowed):
        return "-inf", "inf"
    if allowed == int(allowed) and not isinstance(expected, (float, np.floating)):
        return str(int(expected) - int(allowed)), str(int(expected) + int(allowed))
    return f"{float(expected) - allowed:.9g}", f"{float(expected) + allowed:.9g}"
