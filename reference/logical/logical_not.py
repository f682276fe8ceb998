"""LogicalNot (page LogicalNot-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise


@implements("LogicalNot-1", parts=elementwise)
def logical_not(data: np.ndarray) -> np.ndarray:
    """Whether false."""
    return np.logical_not(data)
