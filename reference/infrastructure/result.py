"""Result (page Result-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Arrays


@implements("Result-1")
def result(data: np.ndarray, *, results: int = 1) -> Arrays:
    """What the model gives: the input, once for each of the ``results`` that take it."""
    return (data,) * results
