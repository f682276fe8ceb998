"""Acos (page Acos-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import outside, unary


# OpenCL lets acos of f32 err by 4 ulp.
@implements("Acos-1", accuracy=Function(k=4, silent=outside(-1, 1)), parts=elementwise)
def acos(data: np.ndarray) -> np.ndarray:
    """The angle of 0 to π that has a cosine, of integers rounded to the nearest."""
    return unary(np.arccos, data)
