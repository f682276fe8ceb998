"""Atan (page Atan-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets atan of f32 err by 5 ulp.
@implements("Atan-1", accuracy=Function(k=5), parts=elementwise)
def atan(data: np.ndarray) -> np.ndarray:
    """The angle of -π/2 to π/2 that has a tangent, of integers rounded to the nearest."""
    return unary(np.arctan, data)
