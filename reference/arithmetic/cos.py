"""Cos (page Cos-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Periodic
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets cos of f32 err by 4 ulp.
@implements(
    "Cos-1", accuracy=Periodic(k=4, extremes=((0.0, 1.0), (np.pi, -1.0))), parts=elementwise
)
def cos(data: np.ndarray) -> np.ndarray:
    """Cosine of radians, of integers rounded to the nearest."""
    return unary(np.cos, data)
