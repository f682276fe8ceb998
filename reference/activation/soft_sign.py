"""SoftSign (page SoftSign-9)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real


def infinite(call: Call) -> np.ndarray:
    """Where the formula is infinity divided by infinity."""
    return np.isinf(call.reals(0))


# Half an ulp for the sum, which does not cancel, and 2.5 for the division (OpenCL).
@implements("SoftSign-9", accuracy=Function(k=3, silent=infinite), parts=elementwise)
def soft_sign(data: np.ndarray) -> np.ndarray:
    """x / (1 + |x|)."""
    values = real(data)
    return values / (1 + np.abs(values))
