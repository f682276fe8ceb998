"""Sign (page Sign-1)."""

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED
from reference.shared.dividing import elementwise
from reference.shared.elementwise import chosen


@implements("Sign-1", accuracy=UNROUNDED, parts=elementwise)
def sign(data: np.ndarray) -> np.ndarray:
    """-1, 0 or 1; NaN for NaN."""
    return chosen(np.sign, data)
