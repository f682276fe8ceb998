"""Tan (page Tan-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Periodic
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


# OpenCL lets tan of f32 err by 5 ulp.
@implements(
    "Tan-1",
    accuracy=Periodic(k=5, extremes=((np.pi / 2, np.inf),), period=np.pi),
    parts=elementwise,
)
def tan(data: np.ndarray) -> np.ndarray:
    """Tangent of radians, of integers rounded to the nearest, as the page's example has it."""
    return unary(np.tan, data)
