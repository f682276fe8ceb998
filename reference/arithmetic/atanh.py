"""Atanh (page Atanh-3)."""

import numpy as np

from reference import implements
from reference.accuracy import Function, integer_range, is_float
from reference.shared.dividing import elementwise
from reference.shared.elementwise import outside


# OpenCL lets atanh of f32 err by 5 ulp. No integer overflows: the page says what 1 and -1 give.
@implements("Atanh-3", accuracy=Function(k=5, operands=0, silent=outside(-1, 1)), parts=elementwise)
def atanh(data: np.ndarray) -> np.ndarray:
    """The number that has a hyperbolic tangent; that of ±1 is infinite.

    Integers other than 0 give the largest of their type or, if negative, the least.
    """
    if is_float(data.dtype):
        return np.arctanh(data.astype(np.float64))
    least, most = (np.array(end, data.dtype) for end in integer_range(data.dtype))
    return np.where(data > 0, most, np.where(data < 0, least, data))
