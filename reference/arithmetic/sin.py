"""Sin (page Sin-1)."""

import numpy as np

from reference.accuracy import Function, implements
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


@implements(
    "Sin-1", accuracy=Function(k=4), parts=elementwise
)  # OpenCL lets sin of f32 err by 4 ulp.
def sin(data: np.ndarray) -> np.ndarray:
    """Sine of radians, of integers rounded to the nearest."""
    return unary(np.sin, data)
