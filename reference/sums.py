"""What pages leave open where many numbers are added."""

from __future__ import annotations

import numpy as np

from reference.call import Call
from reference.precision import is_float


def partial_sums_overflow(call: Call, place: int = 0, times: np.ndarray | float = 1) -> np.ndarray:
    """Elements of a floating-point output whose partial sums may leave the working precision's range.

    The page fixes no order of addition: where the absolute values of all finite terms together reach infinity, one
    order gives an infinity, another NaN, a third the right number. ``times`` is what the sum was divided by.
    """
    if not is_float(call.outputs[place].dtype):
        return np.zeros((), bool)

    def finite_magnitude(values: np.ndarray) -> np.ndarray:
        if not is_float(values.dtype):
            return values
        magnitude = np.abs(values.astype(np.float64))
        return np.where(np.isfinite(magnitude), magnitude, 0)

    with np.errstate(over="ignore"):
        total = call.again(finite_magnitude)[place] * times
    return total >= call.precision(place).overflow
