"""Concat (page Concat-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis
from reference.shared.dividing import concatenated


@implements("Concat-1", parts=concatenated)
def concat(*data: np.ndarray, axis: int) -> np.ndarray:
    """Concatenate tensors along ``axis``; their types and their other dimensions are the same.

    [d1, ..., a, ...], [d1, ..., b, ...], ... -> [d1, ..., a + b + ..., ...]. Raises
    ValueError where another dimension or a rank differs, or axis is outside [-R, R - 1].
    """
    shapes = [tensor.shape for tensor in data]
    if () in shapes or not shapes:
        raise ValueError(f"Concat-1: there must be tensors of rank 1 or more, got {shapes}")
    axis = normalize_axis(axis, len(shapes[0]), "Concat-1: axis")
    if len({(len(each), each[:axis], each[axis + 1 :]) for each in shapes}) != 1:
        raise ValueError(f"Concat-1: shapes must match except at axis {axis}, got {shapes}")
    return np.concatenate(data, axis)
