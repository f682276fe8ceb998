"""Sigmoid (page Sigmoid-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real


# OpenCL: 3 ulp for e^-x, 2.5 for the division; and half a one for the sum, which does not cancel.
@implements("Sigmoid-1", accuracy=Function(k=6), parts=elementwise)
def sigmoid(data: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-real(data)))
