"""Sqrt (page Sqrt-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Rounded, is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real


def negative(call: Call) -> np.ndarray:
    """Where the input is negative: the page calls the result undefined."""
    return call.reals(0) < 0


# OpenCL lets a square root of f32 err by 3 ulp.
@implements("Sqrt-1", accuracy=Rounded(bound=6, silent=negative), parts=elementwise)
def sqrt(data: np.ndarray) -> np.ndarray:
    """The square root, of integers rounded to the nearest. Negative integers give 0."""
    values = real(data)
    if is_float(values.dtype):
        return np.sqrt(values)
    return _nearest_root(np.maximum(values, 0).astype(np.uint64)).astype(data.dtype)


def _nearest_root(values: np.ndarray) -> np.ndarray:
    """The nearest whole root of uint64 numbers n: r of the largest square r² <= n, r + 1 from n > r² + r on.

    From there on √n > r + 1/2.
    """
    root = np.sqrt(values.astype(np.float64)).astype(np.uint64)
    # A float64 root of a number beyond 2^52 may be one too large, and (2^32)² does not fit.
    root = np.minimum(root, np.uint64(2**32 - 1))
    one = np.uint64(1)
    root = np.where(root * root > values, root - one, root)
    return np.where(values - root * root > root, root + one, root)
