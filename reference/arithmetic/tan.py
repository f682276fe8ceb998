"""Tan (page Tan-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets tan of f32 err by 5 ulp.
@implements("Tan-1", accuracy=Function(k=5), parts=elementwise)
def tan(data: np.ndarray) -> np.ndarray:
    """Tangent of radians, of integers rounded to the nearest, as the page's example has it."""
    return unary(np.tan, data)
