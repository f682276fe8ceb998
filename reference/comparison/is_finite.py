"""IsFinite (page IsFinite-10)."""

import numpy as np

from reference import implements


@implements("IsFinite-10")
def is_finite(data: np.ndarray) -> np.ndarray:
    """Whether a number is neither infinite nor NaN."""
    return np.isfinite(data.astype(np.float64))
