"""ReduceMax (page ReduceMax-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import reduced
from reference.shared.reductions import EXTREME, extreme


@implements("ReduceMax-1", accuracy=EXTREME, parts=reduced)
def reduce_max(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """The largest numbers over ``axes``, which stay as dimensions of 1 where ``keep_dims``; 0 of none.

    Raises ValueError for an axis that does not exist or is repeated.
    """
    return extreme(np.max, "ReduceMax-1", data, axes, keep_dims)
