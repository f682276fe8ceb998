"""Equal (page Equal-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise
from reference.shared.elementwise import COMPARED, compare


@implements("Equal-1", accuracy=COMPARED, parts=elementwise)
def equal(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """a == b, booleans in their common shape; zeros of both signs are equal.

    Raises ValueError where shapes do not broadcast.
    """
    return compare(np.equal, a, b, auto_broadcast)
