"""Cosh (page Cosh-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets cosh of f32 err by 4 ulp.
@implements("Cosh-1", accuracy=Function(k=4), parts=elementwise)
def cosh(data: np.ndarray) -> np.ndarray:
    """Hyperbolic cosine, of integers rounded to the nearest."""
    return unary(np.cosh, data)
