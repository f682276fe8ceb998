"""ShapeOf (pages ShapeOf-1, ShapeOf-3)."""

import numpy as np

from reference import implements
from reference.shared.checks import index_type


@implements("ShapeOf-1")
def shape_of_1(data: np.ndarray) -> np.ndarray:
    """The shape of ``data``: i64 [rank]."""
    return np.array(data.shape, np.int64)


@implements("ShapeOf-3")
def shape_of_3(data: np.ndarray, *, output_type: str = "i64") -> np.ndarray:
    """The shape of ``data`` as [rank] numbers of ``output_type``, i64 or i32.

    Raises ValueError for another type.
    """
    return np.array(data.shape, index_type(output_type, "ShapeOf-3: output_type"))
