"""ReduceL1 (page ReduceL1-4)."""

import numpy as np

from reference import implements
from reference.accuracy import Sum
from reference.shared.dividing import reduced
from reference.shared.reductions import absolute, count, reduce


# Of one term nothing is rounded, so that no axes, which leave numbers as they are, need no other class.
@implements("ReduceL1-4", accuracy=Sum(terms=count, operands=1), parts=reduced)
def reduce_l1(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """Sums of absolute values over ``axes``, which stay as dimensions of 1 where ``keep_dims``; integers wrap.

    No axes leave the data as it is, signs too. Raises ValueError for an axis that does not exist or is repeated.
    """
    size = absolute(data) if axes.size else data
    return reduce(np.sum, "ReduceL1-4", size, axes, keep_dims)
