"""ErfInv (page ErfInv-17)."""

import math

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise

_ERF = np.vectorize(math.erf, otypes=[np.float64])
_ERFC = np.vectorize(math.erfc, otypes=[np.float64])

_STEPS = 8  # of Newton's method, which doubles the digits with each


# OpenCL has no limit for it. Found by means of an erf that errs by 16 ulp, OpenCL's limit, it errs by no more.
@implements("ErfInv-17", accuracy=Function(k=16), parts=elementwise)
def erf_inv(data: np.ndarray) -> np.ndarray:
    """The number whose erf is x: infinite for ±1, NaN beyond."""
    x = data.astype(np.float64)
    size = np.abs(x)
    inside = np.where(size < 1, size, 0.0)
    found = np.where(inside < 0.5, _near_zero(inside), _near_one(inside))
    found = np.where(size < 1, found, np.where(size == 1, np.inf, np.nan))
    return np.copysign(found, x)


def _near_zero(x: np.ndarray) -> np.ndarray:
    """Newton's method on erf(y) - x, from the first term of the series of erf."""
    y = x * math.sqrt(math.pi) / 2
    for _ in range(_STEPS):
        y = y - (_ERF(y) - x) / _slope(y)
    return y


def _near_one(x: np.ndarray) -> np.ndarray:
    """Newton's method on log(erfc(y) / (1 - x)), where 1 - x is exact, from erfc(y) <= e^(-y²)."""
    rest = 1 - x
    y = np.sqrt(-np.log(rest))
    for _ in range(_STEPS):
        tail = _ERFC(y)
        y = y + np.log(tail / rest) * tail / _slope(y)
    return y


def _slope(y: np.ndarray) -> np.ndarray:
    """The derivative of erf."""
    return 2 / math.sqrt(math.pi) * np.exp(-y * y)
