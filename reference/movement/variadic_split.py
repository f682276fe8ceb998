"""VariadicSplit (page VariadicSplit-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, one_number, require_rank


@implements("VariadicSplit-1")
def variadic_split(
    data: np.ndarray, axis: np.ndarray, split_lengths: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Split into pieces of ``split_lengths`` along ``axis`` (a scalar or [1]); one length may be -1.

    data [..., d_axis, ...], split_lengths [n] -> n outputs [..., split_lengths[i], ...], where -1
    is the rest of the dimension. Raises ValueError where the lengths do not add up to d_axis.
    """
    name = "VariadicSplit-1: axis"
    along = normalize_axis(one_number(axis, name), data.ndim, name)
    require_rank(split_lengths, (1,), "VariadicSplit-1: split_lengths")
    size = data.shape[along]
    lengths = [int(length) for length in split_lengths]
    if min(lengths, default=0) < -1 or lengths.count(-1) > 1:
        raise ValueError(
            f"VariadicSplit-1: a length must be 0 or more, or -1 once at most, got {lengths}"
        )
    if -1 in lengths:
        # The rest of the dimension; negative where the other lengths exceed it.
        lengths[lengths.index(-1)] = size - (sum(lengths) + 1)
    if min(lengths, default=0) < 0 or sum(lengths) != size:
        raise ValueError(
            f"VariadicSplit-1: split_lengths must add up to {size}, got {split_lengths.tolist()}"
        )
    ends = np.cumsum(lengths, dtype=np.int64)
    return tuple(np.split(data, ends[:-1], along))
