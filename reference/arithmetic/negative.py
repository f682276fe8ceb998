"""Negative (page Negative-1)."""

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED
from reference.shared.dividing import elementwise
from reference.shared.elementwise import chosen


@implements("Negative-1", accuracy=UNROUNDED, parts=elementwise)
def negative(data: np.ndarray) -> np.ndarray:
    """The number of the other sign. That of the least integer does not fit in its type."""
    return chosen(np.negative, data)
