"""IsNaN (page IsNaN-10)."""

import numpy as np

from reference import implements


@implements("IsNaN-10")
def is_nan(data: np.ndarray) -> np.ndarray:
    """Whether a number is NaN."""
    return np.isnan(data.astype(np.float64))
