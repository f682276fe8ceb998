"""BitwiseOr (page BitwiseOr-13)."""

import numpy as np

from reference import implements
from reference.shared.broadcasting import broadcast
from reference.shared.dividing import elementwise


@implements("BitwiseOr-13", parts=elementwise)
def bitwise_or(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """The or of each pair of bits; of booleans that of truth values.

    Raises ValueError where shapes do not broadcast.
    """
    first, second = broadcast(a, b, auto_broadcast=auto_broadcast)
    # NumPy computes with integers of 4 bits in 8.
    return np.bitwise_or(first, second).astype(a.dtype)
