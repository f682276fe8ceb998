"""HardSigmoid (page HardSigmoid-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function, flushed_factor
from reference.shared.dividing import elementwise
from reference.shared.elementwise import is_nan, real


def product(call: Call) -> np.ndarray:
    """|αx|, whose rounding error stays where β cancels it: at most |β| + 1 where the result is neither 0 nor 1."""
    data, alpha, beta = (call.reals(index) for index in range(3))
    return np.minimum(np.abs(alpha * data), np.abs(beta) + 1)


def flushed(call: Call) -> np.ndarray:
    """The product αx, where it may be zero beside β."""
    data, alpha = call.reals(0), call.reals(1)
    return flushed_factor(alpha * data, 1.0, call.precision(0))


# The product rounds, and the sum. The page does not say what the minimum and maximum with NaN are.
@implements(
    "HardSigmoid-1",
    accuracy=Function(
        k=1, a=1, scale=product, quality_k=0.5, quality_a=0.5, flushed=flushed, silent=is_nan
    ),
    parts=elementwise,
)
def hard_sigmoid(data: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """max(0, min(1, αx + β)). Raises ValueError where α or β is not a scalar."""
    for name, each in (("alpha", alpha), ("beta", beta)):
        if each.ndim:
            raise ValueError(f"HardSigmoid-1: {name} must be a scalar, got {list(each.shape)}")
    return np.clip(real(alpha) * real(data) + real(beta), 0, 1)
