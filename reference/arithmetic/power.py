"""Power (page Power-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function, is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import both, operands


def undefined(call: Call) -> np.ndarray:
    """Where a to the power of b is no number, or none of the type: the page does not speak of it.

    Negative numbers to powers that are not whole, zero and infinity among the operands, NaN; and for integers negative
    powers.
    """
    a, b = both(call)
    if not is_float(call.outputs[0].dtype):
        return b < 0
    odd = (a < 0) & (b != np.rint(b))
    return odd | ((a == 0) & (b <= 0)) | ~np.isfinite(a) | ~np.isfinite(b)


# OpenCL lets pow of f32 err by 16 ulp.
@implements("Power-1", accuracy=Function(k=16, silent=undefined), parts=elementwise)
def power(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """a to the power of b; integers wrap, to negative powers they are rounded towards zero.

    Raises ValueError where shapes do not broadcast.
    """
    first, second = operands(a, b, auto_broadcast)
    if is_float(first.dtype):
        return np.power(first, second)
    raised = np.power(first, np.where(second < 0, 0, second))
    units = np.where(np.abs(first) == 1, np.where(second % 2 == 0, 1, first), 0)
    return np.where(second < 0, units, raised).astype(first.dtype)
