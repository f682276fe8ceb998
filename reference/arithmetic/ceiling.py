"""Ceiling (page Ceiling-1)."""

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, is_float
from reference.shared.dividing import elementwise


@implements("Ceiling-1", accuracy=UNROUNDED, parts=elementwise)
def ceiling(data: np.ndarray) -> np.ndarray:
    """The least whole number that is not less; integers as they are."""
    return np.ceil(data.astype(np.float64)) if is_float(data.dtype) else data
