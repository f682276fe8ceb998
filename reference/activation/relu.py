"""ReLU (page ReLU-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Rounded
from reference.shared.elementwise import is_nan, real


# Nothing is rounded. The page does not say what the maximum with NaN is.
@implements("ReLU-1", accuracy=Rounded(gate=0, quality=0, silent=is_nan))
def relu(data: np.ndarray) -> np.ndarray:
    """max(0, x)."""
    return np.maximum(real(data), 0)
