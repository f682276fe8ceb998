"""IsFinite (page IsFinite-10)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise


@implements("IsFinite-10", parts=elementwise)
def is_finite(data: np.ndarray) -> np.ndarray:
    """Whether a number is neither infinite nor NaN."""
    return np.isfinite(data.astype(np.float64))
