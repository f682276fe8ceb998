"""Sin (page Sin-1)."""

import numpy as np

from reference.accuracy import Periodic, implements
from reference.shared.dividing import elementwise
from reference.shared.elementwise import unary


@implements(
    "Sin-1",
    accuracy=Periodic(k=4, extremes=((np.pi / 2, 1.0), (-np.pi / 2, -1.0))),
    parts=elementwise,
)  # OpenCL lets sin of f32 err by 4 ulp.
def sin(data: np.ndarray) -> np.ndarray:
    """Sine of radians, of integers rounded to the nearest."""
    return unary(np.sin, data)
