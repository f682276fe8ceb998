"""Unsqueeze (page Unsqueeze-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axes
from reference.shared.dividing import with_axes_of_one


@implements("Unsqueeze-1", parts=with_axes_of_one)
def unsqueeze(data: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Insert dimensions of 1, which are dimensions ``axes`` (a scalar or [n]) of the output.

    data of rank r -> y of rank R = r + n. Raises ValueError where an axis is outside [-R, R - 1] or
    given twice.
    """
    if axes.ndim > 1:
        raise ValueError(f"Unsqueeze-1: axes must have rank 0 or 1, got {axes.ndim}")
    rank = data.ndim + axes.size
    added = normalize_axes(axes.reshape(-1).tolist(), rank, "Unsqueeze-1: axes")
    kept = iter(data.shape)
    return data.reshape([1 if axis in added else next(kept) for axis in range(rank)])
