"""Cos (page Cos-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets cos of f32 err by 4 ulp.
@implements("Cos-1", accuracy=Function(k=4), parts=elementwise)
def cos(data: np.ndarray) -> np.ndarray:
    """Cosine of radians, of integers rounded to the nearest."""
    return unary(np.cos, data)
