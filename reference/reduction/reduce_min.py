"""ReduceMin (page ReduceMin-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import reduced
from reference.shared.reductions import EXTREME, extreme


@implements("ReduceMin-1", accuracy=EXTREME, parts=reduced)
def reduce_min(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """The smallest numbers over ``axes``, which stay as dimensions of 1 where ``keep_dims``; 0 of none.

    Raises ValueError for an axis that does not exist or is repeated.
    """
    return extreme(np.min, "ReduceMin-1", data, axes, keep_dims)
