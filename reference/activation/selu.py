"""Selu (page Selu-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.elementwise import exponential_ulps, is_nan, real


def power(call: Call) -> np.ndarray:
    """λαe^x where x <= 0: the size of what cancels in λα(e^x - 1)."""
    data, alpha, factor = (call.reals(index) for index in range(3))
    return np.where(data <= 0, np.abs(factor * alpha).reshape(-1)[0] * np.exp(np.minimum(data, 0)), 0.0)


# The difference and two products round; e^x errs before 1 is subtracted, in good arithmetic by half an ulp. NaN is
# neither above 0 nor not above it.
@implements(
    "Selu-1",
    accuracy=Function(k=2, a=exponential_ulps, scale=power, quality_a=0.5, silent=is_nan),
)
def selu(data: np.ndarray, alpha: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """λx where x > 0, λα(e^x - 1) elsewhere; ``factor`` is λ. Raises ValueError where α or λ is not one number [1]."""
    for name, each in (("alpha", alpha), ("lambda", factor)):
        if each.size != 1:
            raise ValueError(f"Selu-1: {name} must be one number, got shape {list(each.shape)}")
    values = real(data)
    below = real(alpha).reshape(-1)[0] * np.expm1(np.minimum(values, 0))
    return real(factor).reshape(-1)[0] * np.where(values > 0, values, below)
