"""Less (page Less-1)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise
from reference.shared.elementwise import COMPARED, compare


@implements("Less-1", accuracy=COMPARED, parts=elementwise)
def less(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str = "numpy") -> np.ndarray:
    """a < b, booleans in their common shape. Raises ValueError where shapes do not broadcast."""
    return compare(np.less, a, b, auto_broadcast)
