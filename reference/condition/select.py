"""Select (page Select-1)."""

import numpy as np

from reference import implements
from reference.shared.broadcasting import broadcast, numpy_shape, one_directional


@implements("Select-1")
def select(
    cond: np.ndarray, then: np.ndarray, other: np.ndarray, *, auto_broadcast: str = "numpy"
) -> np.ndarray:
    """The elements of ``then`` where ``cond`` is true, and those of ``other``, the page's *else*, where it is false.

    ``then``, ``other`` and ``cond`` in their common shape. Raises ValueError where shapes do not
    allow it.
    """
    if auto_broadcast == "numpy":
        # A larger cond is against a rule of the page, but has the same meaning.
        shape = numpy_shape(then.shape, other.shape, cond.shape)
        chosen, first, second = (one_directional(each, shape) for each in (cond, then, other))
    else:
        first, second, chosen = broadcast(then, other, cond, auto_broadcast=auto_broadcast)
    # A choice by positions keeps types that NumPy does not know.
    return np.where(chosen, first, second).astype(then.dtype)
