"""Elu (page Elu-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import exponential_ulps, is_nan, real


def power(call: Call) -> np.ndarray:
    """αe^x where x <= 0: the size of what cancels in α(e^x - 1)."""
    data = call.reals(0)
    return np.where(data <= 0, call.attributes["alpha"] * np.exp(np.minimum(data, 0)), 0.0)


# The difference and the product round; e^x errs before 1 is subtracted, in good arithmetic by half an ulp. NaN is
# neither above 0 nor not above it.
@implements(
    "Elu-1",
    accuracy=Function(k=2, a=exponential_ulps, scale=power, quality_a=0.5, silent=is_nan),
    parts=elementwise,
)
def elu(data: np.ndarray, *, alpha: float) -> np.ndarray:
    """x where x > 0, α(e^x - 1) elsewhere. Raises ValueError where ``alpha`` is negative."""
    if alpha < 0:
        raise ValueError(f"Elu-1: alpha must not be negative, got {alpha}")
    values = real(data)
    return np.where(values > 0, values, alpha * np.expm1(np.minimum(values, 0)))
