"""Subtract (page Subtract-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Rounded
from reference.shared.dividing import elementwise
from reference.shared.elementwise import binary


@implements("Subtract-1", accuracy=Rounded(), parts=elementwise)
def subtract(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """a - b; integers wrap. Raises ValueError where shapes do not broadcast."""
    return binary(np.subtract, a, b, auto_broadcast)
