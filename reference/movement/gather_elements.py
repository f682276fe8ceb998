"""GatherElements (page GatherElements-6)."""

from __future__ import annotations

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis


@implements("GatherElements-6")
def gather_elements(data: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    """For each index the element of data at its own position, but for ``axis``, where the index says.

    data [..., D, ...] and indices [..., I, ...], equal except along ``axis`` -> the shape of indices.
    Raises ValueError where the shapes disagree, data lacks the axis, or an index is out of range.
    """
    if data.ndim < 1:
        raise ValueError("GatherElements-6: data must have rank 1 or more, got 0")
    axis = normalize_axis(axis, data.ndim, "GatherElements-6: axis")
    expected = (*data.shape[:axis], *indices.shape[axis : axis + 1], *data.shape[axis + 1 :])
    if indices.shape != expected:
        raise ValueError(
            f"GatherElements-6: indices must have the shape of data, {data.shape}, "
            f"except along axis {axis}, got {indices.shape}"
        )
    size = data.shape[axis]
    outside = indices[(indices < 0) | (indices >= size)]
    if outside.size:
        raise ValueError(f"GatherElements-6: indices must be in [0, {size}), got {outside[0]}")
    return np.take_along_axis(data, indices.astype(np.int64), axis)
