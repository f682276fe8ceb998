"""ReLU (page ReLU-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Rounded
from reference.shared.dividing import elementwise
from reference.shared.elementwise import chosen, is_nan


# Nothing is rounded. The page does not say what the maximum with NaN is.
@implements("ReLU-1", accuracy=Rounded(bound=0, quality=0, silent=is_nan), parts=elementwise)
def relu(data: np.ndarray) -> np.ndarray:
    """max(0, x)."""
    return chosen(lambda x: np.maximum(x, 0), data)
