"""ReduceLogicalAnd (page ReduceLogicalAnd-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import reduced
from reference.shared.reductions import normal_axes


@implements("ReduceLogicalAnd-1", parts=reduced)
def reduce_logical_and(
    data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False
) -> np.ndarray:
    """Whether all are true over ``axes``, which stay as dimensions of 1 where ``keep_dims``; true of none.

    Raises ValueError for an axis that does not exist or is repeated.
    """
    along = normal_axes("ReduceLogicalAnd-1", data, axes)
    return np.all(data, axis=along, keepdims=keep_dims)
