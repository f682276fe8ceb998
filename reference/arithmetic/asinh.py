"""Asinh (page Asinh-3)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets asinh of f32 err by 4 ulp.
@implements("Asinh-3", accuracy=Function(k=4), parts=elementwise)
def asinh(data: np.ndarray) -> np.ndarray:
    """The number that has a hyperbolic sine, of integers rounded to the nearest."""
    return unary(np.arcsinh, data)
