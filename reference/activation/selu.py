"""Selu (page Selu-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import exponential_ulps, is_nan, real


def power(call: Call) -> np.ndarray:
    """λαe^x where x <= 0: the size of what cancels in λα(e^x - 1)."""
    data, alpha, factor = (call.reals(index) for index in range(3))
    size = np.abs(alpha.item() * factor.item())
    return np.where(data <= 0, size * np.exp(np.minimum(data, 0)), 0.0)


# The difference and two products round; e^x errs before 1 is subtracted, in good arithmetic by half an ulp. NaN is
# neither above 0 nor not above it.
@implements(
    "Selu-1",
    accuracy=Function(k=2, a=exponential_ulps, scale=power, quality_a=0.5, silent=is_nan),
    parts=elementwise,
)
def selu(data: np.ndarray, alpha: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """λx where x > 0, λα(e^x - 1) elsewhere; ``factor`` is λ.

    The page has α and λ of shape [1]; scalars, which it does not mention, are as good. Raises ValueError where either
    is not one number.
    """
    for name, each in (("alpha", alpha), ("lambda", factor)):
        if each.shape not in ((1,), ()):
            raise ValueError(f"Selu-1: {name} must have shape [1], got {list(each.shape)}")
    values = real(data)
    below = real(alpha).item() * np.expm1(np.minimum(values, 0))
    return real(factor).item() * np.where(values > 0, values, below)
