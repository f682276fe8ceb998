"""BitwiseLeftShift (page BitwiseLeftShift-15)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Exact
from reference.shared.broadcasting import broadcast
from reference.shared.dividing import elementwise
from reference.shared.shifts import outside


def _undefined(call: Call) -> np.ndarray:
    """Where b is negative or no less than the number of bits, or a signed result does not fit."""
    a, b = call.array(0), call.array(1)
    first, shifts = broadcast(a, b, auto_broadcast=call.attributes.get("auto_broadcast", "numpy"))
    is_outside = outside(shifts)
    back = np.right_shift(call.outputs[0], np.where(is_outside, 0, shifts))
    return is_outside | ((a.dtype.kind == "i") & (back != first))


@implements("BitwiseLeftShift-15", accuracy=Exact(silent=_undefined), parts=elementwise)
def bitwise_left_shift(
    a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy"
) -> np.ndarray:
    """``a`` moved by ``b`` bits towards the high end, modulo 2^n for unsigned types of n bits.

    Both in their common shape. What the page leaves undefined is 0 for shifts outside [0, n), and cut off to n bits
    for signed numbers that do not fit. Raises ValueError where shapes do not broadcast.
    """
    first, shifts = broadcast(a, b, auto_broadcast=auto_broadcast)
    is_outside = outside(shifts)
    shifted = np.left_shift(first, np.where(is_outside, 0, shifts).astype(b.dtype))
    return np.where(is_outside, 0, shifted).astype(a.dtype)
