"""BitwiseNot (page BitwiseNot-13)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise


@implements("BitwiseNot-13", parts=elementwise)
def bitwise_not(data: np.ndarray) -> np.ndarray:
    """Every bit negated; of booleans the truth value."""
    # NumPy computes with integers of 4 bits in 8.
    return np.invert(data).astype(data.dtype)
