"""IsNaN (page IsNaN-10)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise


@implements("IsNaN-10", parts=elementwise)
def is_nan(data: np.ndarray) -> np.ndarray:
    """Whether a number is NaN."""
    return np.isnan(data.astype(np.float64))
