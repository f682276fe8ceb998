"""Floor (page Floor-1)."""

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, is_float
from reference.shared.dividing import elementwise


@implements("Floor-1", accuracy=UNROUNDED, parts=elementwise)
def floor(data: np.ndarray) -> np.ndarray:
    """The largest whole number that is not greater; integers as they are."""
    return np.floor(data.astype(np.float64)) if is_float(data.dtype) else data
