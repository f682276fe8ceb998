"""Gelu (pages Gelu-2, Gelu-7)."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import PRECISIONS, Call, Choice, Function, function_ulps
from reference.shared.dividing import elementwise
from reference.shared.elementwise import infinitely_small, real

_ERFC = np.frompyfunc(math.erfc, 1, 1)


def argument(call: Call) -> np.ndarray:
    """|x|, the scale of the error where the sum 1 + erf or 1 + tanh cancels."""
    size = np.abs(call.reals(0))
    return np.where(np.isfinite(size), size, 0)


def cancelled(call: Call) -> float:
    """The error of x/2·(1 + f) in ulps of |x| where f = erf or tanh is close to -1.

    Half of the error of f, 16 ulp for erf and 5 for tanh as in Erf-1 and Tanh-1; half an ulp for the sum; and the
    effect of the rounded argument of f, at most 1/4 for one product and 1/2 for a polynomial. In types narrower than
    f16 f is one rounding of a value below 1, of half an ε, and 1 + f is exact where it cancels.
    """
    is_erf, working = call.attributes.get("approximation_mode", "erf") == "erf", call.precision(0)
    argument_error = 0.25 if is_erf else 0.5
    if working.fraction_bits < PRECISIONS["f16"].fraction_bits:
        return 0.5 / 2 + argument_error
    return function_ulps(16 if is_erf else 5, working) / 2 + 0.5 + argument_error


def nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """The result of the formula with tanh where it is nearer: the page of Gelu-2 admits it as an approximation."""
    (exact,) = call.outputs
    if actual[0].shape != exact.shape:
        return (exact,)
    other, given = gelu(call.array(0), approximation_mode="tanh"), actual[0].astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return (np.where(np.abs(given - other) < np.abs(given - exact), other, exact),)


# The products round the answer twice. Good arithmetic rounds f, its argument and the sum correctly.
_CLASS = Function(
    k=2, a=cancelled, scale=argument, quality_k=1, quality_a=1, silent=infinitely_small
)


@implements("Gelu-7", accuracy=_CLASS, parts=elementwise)
def gelu(data: np.ndarray, *, approximation_mode: Literal["erf", "tanh"] = "erf") -> np.ndarray:
    """x·Φ(x), Φ by the error function or by the page's formula with tanh."""
    values = real(data)
    if approximation_mode == "erf":
        # (1 + erf z) / 2 = erfc(-z) / 2, which does not cancel.
        half = np.asarray(_ERFC(-values / math.sqrt(2)), np.float64) / 2
    else:
        inner = math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)
        # (1 + tanh z) / 2 = 1 / (1 + e^-2z)
        half = 1 / (1 + np.exp(-2 * inner))
    # -infinity times 0 has the limit 0.
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(values), 0.0, values * half)


@implements("Gelu-2", accuracy=Choice(nearest, within=_CLASS), parts=elementwise)
def gelu_2(data: np.ndarray) -> np.ndarray:
    """x·Φ(x), Φ by the error function."""
    return gelu(data)
