"""Elementwise operations: operands in float64 and in the shape of the output, unary functions, comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference.accuracy import PRECISIONS, Call, Rounded, function_ulps, is_float
from reference.shared.broadcasting import broadcast


def real(values: np.ndarray) -> np.ndarray:
    """Floating-point values in float64; others unchanged."""
    return values.astype(np.float64) if is_float(values.dtype) else values


def operands(a: np.ndarray, b: np.ndarray, auto_broadcast: str) -> tuple[np.ndarray, np.ndarray]:
    """Both inputs in the shape of the output, reals in float64. Raises ValueError where shapes do not broadcast."""
    first, second = broadcast(real(a), real(b), auto_broadcast=auto_broadcast)
    return first, second


def binary(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray],
    a: np.ndarray,
    b: np.ndarray,
    auto_broadcast: str,
) -> np.ndarray:
    """A NumPy function of both inputs, reals in float64. Raises ValueError where shapes do not broadcast."""
    return function(*operands(a, b, auto_broadcast))


def unary(function: Callable[[np.ndarray], np.ndarray], data: np.ndarray) -> np.ndarray:
    """A function of reals in float64; of integers its values in float64, rounded to the nearest, halves up."""
    values = np.asarray(function(data.astype(np.float64)), np.float64)
    return values if is_float(data.dtype) else np.floor(values + 0.5).astype(data.dtype)


def chosen(function: Callable[[np.ndarray], np.ndarray], data: np.ndarray) -> np.ndarray:
    """A function of reals in float64; of integers as they are, whose results are of their own type."""
    values = function(real(data))
    # NumPy computes with integers of 4 bits in 8.
    return values if is_float(data.dtype) else values.astype(data.dtype)


def outside(least: float, most: float) -> Callable[[Call], np.ndarray]:
    """The elements of the first input outside the domain of a function: no real number is the answer there.

    For integers none: what is no number fits in no integer type, so that it counts as overflow.
    """

    def mask(call: Call) -> np.ndarray:
        if not is_float(call.array(0).dtype):
            return np.zeros((), bool)
        data = call.reals(0)
        return (data < least) | (data > most)

    return mask


def is_nan(call: Call) -> np.ndarray:
    """The elements of the first input that are NaN."""
    return np.isnan(call.reals(0))


def infinitely_small(call: Call) -> np.ndarray:
    """Where a formula x·f(x) is -infinity times 0, whose limit is 0."""
    return np.isneginf(call.reals(0))


def exponential_ulps(call: Call) -> float:
    """The error of e^x for x <= 0 in ulps of itself, where it is a step of a formula.

    OpenCL lets it err by 3 ulp in f32. In types narrower than f16 it is one rounding.
    """
    working = call.precision(0)
    is_narrow = working.fraction_bits < PRECISIONS["f16"].fraction_bits
    return 0.5 if is_narrow else function_ulps(3, working)


def compare(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray],
    a: np.ndarray,
    b: np.ndarray,
    auto_broadcast: str,
) -> np.ndarray:
    """A NumPy comparison of both inputs as booleans. Raises ValueError where shapes do not broadcast."""
    return function(*broadcast(a, b, auto_broadcast=auto_broadcast)).astype(bool)


def both(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """The two inputs of a call in float64, in the shape of the output."""
    mode = call.attributes.get("auto_broadcast", "numpy")
    return operands(call.reals(0), call.reals(1), mode)


def _with_nan(call: Call) -> np.ndarray:
    """Elements with a NaN among the operands."""
    data = call.inputs[0]
    if data is None or not is_float(data.dtype):
        return np.zeros((), bool)
    first, second = both(call)
    return np.isnan(first) | np.isnan(second)


# The pages of comparisons do not define the result for NaN.
COMPARED = Rounded(bound=0, quality=0, silent=_with_nan)

# One of the two numbers is the answer. The pages of Maximum and Minimum do not order NaN either.
CHOSEN = COMPARED
