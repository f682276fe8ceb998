"""Tanh (page Tanh-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets tanh of f32 err by 5 ulp.
@implements("Tanh-1", accuracy=Function(k=5), parts=elementwise)
def tanh(data: np.ndarray) -> np.ndarray:
    """Hyperbolic tangent, of integers rounded to the nearest, halves up."""
    return unary(np.tanh, data)
