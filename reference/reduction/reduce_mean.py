"""ReduceMean (page ReduceMean-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum, is_float
from reference.shared.dividing import reduced
from reference.shared.elementwise import real
from reference.shared.reductions import count, normal_axes, size


def undefined(call: Call) -> np.ndarray:
    """The mean of nothing, which the page does not mention."""
    return np.asarray(count(call) == 0)


def between_integers(call: Call) -> np.ndarray:
    """1 where a mean of integers is no integer: the page does not say how it is rounded."""
    (exact,) = call.wide(1)
    return (exact != np.rint(exact)).astype(float)


# After the sum a division, or 1/n and a product with it.
@implements(
    "ReduceMean-1",
    accuracy=Sum(
        terms=count,
        extra=2,
        partial=count,
        operands=1,
        levels=between_integers,
        silent=undefined,
    ),
    parts=reduced,
)
def reduce_mean(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """Arithmetic means over ``axes``, which stay as dimensions of 1 where ``keep_dims``.

    Means of integers are rounded towards zero. Raises ValueError for an axis that does not exist or is repeated.
    """
    along = normal_axes("ReduceMean-1", data, axes)
    values = real(data)
    if is_float(values.dtype):
        return np.sum(values, axis=along, keepdims=keep_dims) / size(values, along)
    # Python's integers: sums of 64-bit numbers do not overflow.
    total = np.sum(values.astype(object), axis=along, keepdims=keep_dims)
    divisor = max(size(values, along), 1)
    mean = np.where(total < 0, -(-total // divisor), total // divisor)
    return mean.astype(data.dtype)
