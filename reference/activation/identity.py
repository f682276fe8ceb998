"""Identity (page Identity-16)."""

import numpy as np

from reference import implements
from reference.shared.dividing import elementwise


@implements("Identity-16", parts=elementwise)
def identity(input: np.ndarray) -> np.ndarray:
    """The input, bit for bit."""
    return input
