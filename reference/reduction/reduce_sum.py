"""ReduceSum (page ReduceSum-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Sum
from reference.shared.dividing import reduced
from reference.shared.reductions import count, reduce


@implements("ReduceSum-1", accuracy=Sum(terms=count, operands=1), parts=reduced)
def reduce_sum(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """Sums over ``axes``, which stay as dimensions of 1 where ``keep_dims``; integers wrap.

    Raises ValueError for an axis that does not exist or is repeated.
    """
    return reduce(np.sum, "ReduceSum-1", data, axes, keep_dims)
