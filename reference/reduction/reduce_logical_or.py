"""ReduceLogicalOr (page ReduceLogicalOr-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import reduced
from reference.shared.reductions import normal_axes


@implements("ReduceLogicalOr-1", parts=reduced)
def reduce_logical_or(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """Whether any is true over ``axes``, which stay as dimensions of 1 where ``keep_dims``; false of none.

    Raises ValueError for an axis that does not exist or is repeated.
    """
    along = normal_axes("ReduceLogicalOr-1", data, axes)
    return np.any(data, axis=along, keepdims=keep_dims)
