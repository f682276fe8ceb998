"""BitwiseRightShift (page BitwiseRightShift-15)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Exact
from reference.shared.broadcasting import broadcast
from reference.shared.dividing import elementwise
from reference.shared.shifts import outside


def _undefined(call: Call) -> np.ndarray:
    """Where b is negative or no less than the number of bits."""
    mode = call.attributes.get("auto_broadcast", "numpy")
    return outside(broadcast(call.array(0), call.array(1), auto_broadcast=mode)[1])


@implements("BitwiseRightShift-15", accuracy=Exact(silent=_undefined), parts=elementwise)
def bitwise_right_shift(
    a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy"
) -> np.ndarray:
    """``a`` moved by ``b`` bits towards the low end, the sign kept; 0 for shifts outside [0, n) of n bits.

    Both in their common shape. Raises ValueError where shapes do not broadcast.
    """
    first, shifts = broadcast(a, b, auto_broadcast=auto_broadcast)
    undefined = outside(shifts)
    shifted = np.right_shift(first, np.where(undefined, 0, shifts).astype(b.dtype))
    return np.where(undefined, 0, shifted).astype(a.dtype)
