"""Log (page Log-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import outside, unary


# OpenCL lets log of f32 err by 3 ulp.
@implements("Log-1", accuracy=Function(k=3, silent=outside(0, np.inf)), parts=elementwise)
def log(data: np.ndarray) -> np.ndarray:
    """The natural logarithm, of integers rounded to the nearest. That of 0 is -infinity."""
    return unary(np.log, data)
