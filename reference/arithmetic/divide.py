"""Divide (page Divide-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Rounded, is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import both, operands


def by_zero(call: Call) -> np.ndarray:
    """Where the divisor is zero: the page calls the result undefined."""
    return both(call)[1] == 0


# OpenCL lets a division of f32 err by 2.5 ulp.
@implements("Divide-1", accuracy=Rounded(bound=5, silent=by_zero), parts=elementwise)
def divide(
    a: np.ndarray, b: np.ndarray, *, m_pythondiv: bool = True, auto_broadcast: str = "numpy"
) -> np.ndarray:
    """a / b, of integers rounded down, or towards zero where ``m_pythondiv`` is False.

    Integers divided by zero give 0. Raises ValueError where shapes do not broadcast.
    """
    first, second = operands(a, b, auto_broadcast)
    if is_float(first.dtype):
        return first / second
    divisor = np.where(second == 0, 1, second)
    quotient = first // divisor
    if not m_pythondiv:
        # Rounding down went away from zero where the quotient is negative and not whole.
        quotient = quotient + ((quotient < 0) & (quotient * divisor != first)).astype(first.dtype)
    return np.where(second == 0, 0, quotient).astype(first.dtype)
