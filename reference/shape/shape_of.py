"""ShapeOf (pages ShapeOf-1, ShapeOf-3)."""

import numpy as np

from reference import implements
from reference.shared.checks import INDEX_TYPES, IndexType


@implements("ShapeOf-1")
def shape_of_1(data: np.ndarray) -> np.ndarray:
    """The shape of ``data``: i64 [rank]."""
    return np.array(data.shape, np.int64)


@implements("ShapeOf-3")
def shape_of_3(data: np.ndarray, *, output_type: IndexType = "i64") -> np.ndarray:
    """The shape of ``data`` as [rank] numbers of ``output_type``."""
    return np.array(data.shape, INDEX_TYPES[output_type])
