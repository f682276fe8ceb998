"""LogicalAnd (page LogicalAnd-1)."""

import numpy as np

from reference import implements
from reference.shared.broadcasting import broadcast
from reference.shared.dividing import elementwise


@implements("LogicalAnd-1", parts=elementwise)
def logical_and(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """Whether both are true, for booleans in their common shape. Raises ValueError where shapes do not broadcast."""
    return np.logical_and(*broadcast(a, b, auto_broadcast=auto_broadcast))
