"""Clamp (page Clamp-1)."""

import math

import numpy as np

from reference import implements
from reference.accuracy import Rounded, integer_range, is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import is_nan


# The result is a number of the input or an end. The page does not say what the minimum and maximum with NaN are.
@implements("Clamp-1", accuracy=Rounded(bound=0, quality=0, silent=is_nan), parts=elementwise)
def clamp(data: np.ndarray, *, min: float, max: float) -> np.ndarray:
    """min(max(x, min), max). For integers ``min`` is rounded up and ``max`` down. Either may be infinite.

    Raises ValueError unless min <= max.
    """
    if not min <= max:
        raise ValueError(f"Clamp-1: min must be at most max, got min={min} and max={max}")
    if is_float(data.dtype):
        return np.minimum(np.maximum(data.astype(np.float64), min), max)
    least, most = integer_range(data.dtype)
    # An end beyond the type, infinity among them, is as good as the end of the type.
    low, high = (sorted((least, end, most))[1] for end in (min, max))
    low, high = math.ceil(low), math.floor(high)
    found = np.minimum(np.maximum(data, np.array(low, data.dtype)), np.array(high, data.dtype))
    return found.astype(data.dtype)
