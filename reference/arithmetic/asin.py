"""Asin (page Asin-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import outside, unary


# OpenCL lets asin of f32 err by 4 ulp.
@implements("Asin-1", accuracy=Function(k=4, silent=outside(-1, 1)), parts=elementwise)
def asin(data: np.ndarray) -> np.ndarray:
    """The angle of -π/2 to π/2 that has a sine, of integers rounded to the nearest."""
    return unary(np.arcsin, data)
