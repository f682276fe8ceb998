"""PReLU (page PReLU-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Rounded
from reference.shared.dividing import with_slopes
from reference.shared.elementwise import is_nan, real


# NaN is neither below 0 nor from 0 on.
@implements("PReLU-1", accuracy=Rounded(silent=is_nan), parts=with_slopes)
def prelu(data: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """x where x >= 0, slope · x elsewhere.

    A slope of one dimension that is as long as the second one of data is for that one; others broadcast as in NumPy.
    Raises ValueError where ``slope`` has no dimension or does not broadcast to the shape of data.
    """
    if not slope.ndim:
        raise ValueError("PReLU-1: slope must have a dimension, got a scalar")
    if slope.ndim == 1 and slope.shape == data.shape[1:2]:
        slope = slope.reshape(-1, *[1] * (data.ndim - 2))
    try:
        factor = np.broadcast_to(real(slope), data.shape)
    except ValueError:
        raise ValueError(
            f"PReLU-1: slope {list(slope.shape)} must broadcast to the shape of data {list(data.shape)}"
        ) from None
    values = real(data)
    return np.where(values >= 0, values, factor * values)
