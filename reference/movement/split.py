"""Split (page Split-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, require_rank
from reference.shared.dividing import separated


@implements("Split-1", parts=separated)
def split(data: np.ndarray, axis: np.ndarray, *, num_splits: int) -> tuple[np.ndarray, ...]:
    """Split into ``num_splits`` pieces of one length along ``axis`` (a scalar).

    data [..., d_axis, ...] -> num_splits times [..., d_axis / num_splits, ...]. Raises ValueError
    where num_splits is outside [1, d_axis] or does not divide d_axis, or axis is outside its range.
    """
    require_rank(axis, (0,), "Split-1: axis")
    along = normalize_axis(int(axis), data.ndim, "Split-1: axis")
    size = data.shape[along]
    if not 1 <= num_splits <= size or size % num_splits:
        raise ValueError(
            f"Split-1: num_splits must be from 1 to {size} and divide it, got {num_splits}"
        )
    return tuple(np.split(data, num_splits, along))
