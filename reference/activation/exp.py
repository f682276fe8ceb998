"""Exp (page Exp-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real


# OpenCL lets exp of f32 err by 3 ulp.
@implements("Exp-1", accuracy=Function(k=3), parts=elementwise)
def exp(data: np.ndarray) -> np.ndarray:
    """e to the power of each element."""
    return np.exp(real(data))
