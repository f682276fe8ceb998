"""Concat (page Concat-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis


@implements("Concat-1")
def concat(*data: np.ndarray, axis: int) -> np.ndarray:
    """Concatenate tensors along ``axis``; their types and their other dimensions are the same.

    [d1, ..., a, ...], [d1, ..., b, ...], ... -> [d1, ..., a + b + ..., ...]. Raises
    ValueError where a shape or a type differs, or axis is outside [-R, R - 1].
    """
    if not data:
        raise ValueError("Concat-1: there must be at least one tensor")
    first = data[0]
    if any(tensor.ndim != first.ndim for tensor in data):
        raise ValueError(f"Concat-1: ranks must match, got {[tensor.ndim for tensor in data]}")
    if any(tensor.dtype != first.dtype for tensor in data):
        raise ValueError(f"Concat-1: types must match, got {[str(t.dtype) for t in data]}")
    if first.ndim == 0:
        raise ValueError("Concat-1: the tensors must have rank 1 or more, got scalars")
    axis = normalize_axis(axis, first.ndim, "Concat-1: axis")
    around = {tensor.shape[:axis] + tensor.shape[axis + 1 :] for tensor in data}
    if len(around) != 1:
        shapes = [tensor.shape for tensor in data]
        raise ValueError(f"Concat-1: shapes must match except at axis {axis}, got {shapes}")
    return np.concatenate(data, axis)
