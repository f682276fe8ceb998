"""FloorMod (page FloorMod-1)."""

import numpy as np

from reference import implements
from reference.accuracy import is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import operands
from reference.shared.remainders import remainder


def ends(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remainders of a floored division have the sign of the divisor."""
    return np.minimum(b, 0), np.maximum(b, 0)


@implements("FloorMod-1", accuracy=remainder(ends), parts=elementwise)
def floor_mod(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """The remainder of a floored division, with the sign of b. Integers divided by zero give 0.

    Raises ValueError where shapes do not broadcast.
    """
    first, second = operands(a, b, auto_broadcast)
    if is_float(first.dtype):
        return np.mod(first, second)
    found = np.mod(first, np.where(second == 0, 1, second).astype(second.dtype))
    return np.where(second == 0, 0, found).astype(first.dtype)
