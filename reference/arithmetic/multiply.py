"""Multiply (page Multiply-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Rounded
from reference.shared.dividing import elementwise
from reference.shared.elementwise import binary


@implements("Multiply-1", accuracy=Rounded(), parts=elementwise)
def multiply(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """a times b; integers wrap. Raises ValueError where shapes do not broadcast."""
    return binary(np.multiply, a, b, auto_broadcast)
