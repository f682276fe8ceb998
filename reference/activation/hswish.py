"""HSwish (page HSwish-4)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real


def undefined(call: Call) -> np.ndarray:
    """Where the formula is -infinity times 0, or has the minimum and maximum with NaN."""
    data = call.reals(0)
    return np.isneginf(data) | np.isnan(data)


# Half an ulp for x + 3, which does not cancel as x is exact, 2.5 for the division (OpenCL), half a one for the product.
@implements("HSwish-4", accuracy=Function(k=3.5, silent=undefined), parts=elementwise)
def hswish(data: np.ndarray) -> np.ndarray:
    """x · min(max(x + 3, 0), 6) / 6."""
    values = real(data)
    return values * (np.clip(values + 3, 0, 6) / 6)
