"""Identity (page Identity-16)."""

import numpy as np

from reference import implements


@implements("Identity-16")
def identity(input: np.ndarray) -> np.ndarray:
    """The input, bit for bit."""
    return input
