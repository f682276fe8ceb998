"""Minimum (page Minimum-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise
from reference.shared.elementwise import CHOSEN, operands


@implements("Minimum-1", accuracy=CHOSEN, parts=elementwise)
def minimum(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """The smaller of a and b, NaN where one of them is. Raises ValueError where shapes do not broadcast."""
    first, second = operands(a, b, auto_broadcast)
    return np.where((first < second) | (first != first), first, second)
