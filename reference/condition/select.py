"""Select (page Select-1)."""

import numpy as np

from reference import implements
from reference.shared.broadcasting import broadcast
from reference.shared.dividing import elementwise


@implements("Select-1", parts=elementwise)
def select(
    cond: np.ndarray, then: np.ndarray, other: np.ndarray, *, auto_broadcast: str = "numpy"
) -> np.ndarray:
    """The elements of ``then`` where ``cond`` is true, and those of ``other``, the page's *else*, where it is false.

    ``then`` and ``other`` in their common shape, to which ``cond`` broadcasts; the page has no larger ``cond``, to
    which all three broadcast. Raises ValueError where shapes do not allow it.
    """
    first, second, chosen = broadcast(then, other, cond, auto_broadcast=auto_broadcast)
    # A choice by positions keeps types that NumPy does not know.
    return np.where(chosen, first, second).astype(then.dtype)
