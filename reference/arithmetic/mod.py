"""Mod (page Mod-1)."""

import numpy as np

from reference import implements
from reference.accuracy import is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import operands
from reference.shared.remainders import remainder


def ends(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remainders of a truncated division have the sign of the dividend."""
    size = np.abs(b)
    return np.where(a < 0, -size, 0), np.where(a > 0, size, 0)


@implements("Mod-1", accuracy=remainder(ends), parts=elementwise)
def mod(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """The remainder of a truncated division, with the sign of a. Integers divided by zero give 0.

    Raises ValueError where shapes do not broadcast.
    """
    first, second = operands(a, b, auto_broadcast)
    if is_float(first.dtype):
        return np.fmod(first, second)
    divisor = np.where(second == 0, 1, second).astype(second.dtype)
    floored = np.mod(first, divisor)
    # The remainder of a floored division has the sign of the divisor, unless it is 0.
    differs = (floored != 0) & ((first < 0) != (divisor < 0))
    found = np.where(differs, floored - divisor, floored)
    return np.where(second == 0, 0, found).astype(first.dtype)
