"""Sinh (page Sinh-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets sinh of f32 err by 4 ulp.
@implements("Sinh-1", accuracy=Function(k=4), parts=elementwise)
def sinh(data: np.ndarray) -> np.ndarray:
    """Hyperbolic sine, of integers rounded to the nearest."""
    return unary(np.sinh, data)
