"""IsInf (page IsInf-10)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise


@implements("IsInf-10", parts=elementwise)
def is_inf(
    data: np.ndarray, *, detect_negative: bool = True, detect_positive: bool = True
) -> np.ndarray:
    """Whether a number is infinite, of the signs that are to be detected."""
    reals = data.astype(np.float64)
    wanted = np.where(reals > 0, detect_positive, detect_negative)
    return np.isinf(reals) & wanted
