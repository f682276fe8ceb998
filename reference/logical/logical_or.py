"""LogicalOr (page LogicalOr-1)."""

import numpy as np

from reference import implements
from reference.shared.broadcasting import broadcast
from reference.shared.dividing import elementwise


@implements("LogicalOr-1", parts=elementwise)
def logical_or(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """Whether one of both is true, for booleans in their common shape.

    Raises ValueError where shapes do not broadcast.
    """
    return np.logical_or(*broadcast(a, b, auto_broadcast=auto_broadcast))
