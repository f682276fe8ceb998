"""HSigmoid (page HSigmoid-5)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import is_nan, real


# Half an ulp for x + 3, which does not cancel as x is exact, and 2.5 for the division (OpenCL). The page does not say
# what the minimum and maximum with NaN are.
@implements("HSigmoid-5", accuracy=Function(k=3, silent=is_nan), parts=elementwise)
def hsigmoid(data: np.ndarray) -> np.ndarray:
    """min(max(x + 3, 0), 6) / 6."""
    return np.clip(real(data) + 3, 0, 6) / 6
