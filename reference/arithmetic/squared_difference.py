"""SquaredDifference (page SquaredDifference-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import operands


# The difference errs by half an ulp, which squaring doubles; the square rounds by another half: three halves of an ulp.
# Twice that admits roundings that are faithful but not correct.
@implements("SquaredDifference-1", accuracy=Function(k=3, quality_k=1.5), parts=elementwise)
def squared_difference(
    a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy"
) -> np.ndarray:
    """(a - b)^2; integers wrap. Raises ValueError where shapes do not broadcast."""
    first, second = operands(a, b, auto_broadcast)
    difference = np.subtract(first, second)
    return (difference * difference).astype(first.dtype)
