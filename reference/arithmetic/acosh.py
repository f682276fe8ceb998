"""Acosh (page Acosh-3)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import outside, unary


# OpenCL lets acosh of f32 err by 4 ulp.
@implements("Acosh-3", accuracy=Function(k=4, silent=outside(1, np.inf)), parts=elementwise)
def acosh(data: np.ndarray) -> np.ndarray:
    """The number from 0 on that has a hyperbolic cosine, of integers rounded to the nearest."""
    return unary(np.arccosh, data)
