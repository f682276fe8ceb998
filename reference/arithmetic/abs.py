"""Abs (page Abs-1)."""

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED
from reference.shared.dividing import elementwise
from reference.shared.elementwise import chosen


@implements("Abs-1", accuracy=UNROUNDED, parts=elementwise)
def abs(data: np.ndarray) -> np.ndarray:
    """The absolute value. That of the least integer does not fit in its type."""
    return chosen(np.abs, data)
