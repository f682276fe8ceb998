"""LogicalNot (page LogicalNot-1)."""

import numpy as np

from reference import implements


@implements("LogicalNot-1")
def logical_not(data: np.ndarray) -> np.ndarray:
    """Whether false."""
    return np.logical_not(data)
