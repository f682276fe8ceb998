"""GRN (page GRN-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.normalizing import OverNorm


def _squares(call: Call) -> np.ndarray:
    return _under_root(call.reals(0), call.attributes["bias"])


def _under_root(values: np.ndarray, bias: float) -> np.ndarray:
    squares: np.ndarray = np.sum(values**2, axis=1, keepdims=True) + bias
    return squares


# Half the terms, as the root halves a relative error. The bias, the root and the quotient round once each.
@implements(
    "GRN-1",
    accuracy=OverNorm(
        terms=lambda call: call.array(0).shape[1] / 2,
        extra=4,
        magnitude=lambda call: np.abs(call.outputs[0]),
        squares=_squares,
    ),
)
def grn(data: np.ndarray, *, bias: float) -> np.ndarray:
    """Divide by the root of the sum of squares across channels, to which ``bias`` is added.

    data [N, C, ...] -> float64 in its shape. Raises ValueError for a rank outside 2 to 4 and for bias not positive.
    """
    if not 2 <= data.ndim <= 4:
        raise ValueError(f"GRN-1: data must have rank 2 to 4, got {data.ndim}")
    if not bias > 0:
        raise ValueError(f"GRN-1: bias must be positive, got {bias}")
    values = data.astype(np.float64)
    return values / np.sqrt(_under_root(values, bias))
