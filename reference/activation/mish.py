"""Mish (page Mish-4)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import infinitely_small, real


def lost(call: Call) -> np.ndarray:
    """What the sum 1 + e^x may lose, in ulps of 1, times |x|: half an ulp, or e^x where that is less."""
    data = call.reals(0)
    size = np.where(np.isfinite(data), np.abs(data), 0)
    return size * np.minimum(0.5, np.exp(np.minimum(data, 0)) / call.precision(0).epsilon)


# The page's formula, step by step: log(1 + e^x) errs by 6 ulp and what is lost in the sum, as in SoftPlus-4; tanh by
# 5 (OpenCL), the product by half a one. Good arithmetic loses nothing in 1 + e^x.
@implements(
    "Mish-4",
    accuracy=Function(k=11.5, a=1, scale=lost, quality_k=2, silent=infinitely_small),
    parts=elementwise,
)
def mish(data: np.ndarray) -> np.ndarray:
    """x · tanh(log(1 + e^x))."""
    values = real(data)
    # -infinity times 0 has the limit 0.
    return np.where(np.isneginf(values), 0.0, values * np.tanh(np.logaddexp(0.0, values)))
