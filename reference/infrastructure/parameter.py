"""Parameter (page Parameter-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.stated import admits, has_type


@implements("Parameter-1")
def parameter(value: np.ndarray, *, element_type: str, shape: Sequence[int]) -> np.ndarray:
    """What the model is given, in the type and the shape that are stated; -1 is any size.

    Raises ValueError for a value of another type or shape.
    """
    if not has_type(value, element_type):
        raise ValueError(f"Parameter-1: value must be {element_type}, got {value.dtype}")
    if not admits(shape, value.shape):
        text = f"{list(shape)}, got {list(value.shape)}"
        raise ValueError(f"Parameter-1: value must have the shape {text}")
    return value
