"""VariadicSplit (page VariadicSplit-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import one_axis, require_rank
from reference.shared.dividing import separated


@implements("VariadicSplit-1", parts=separated)
def variadic_split(
    data: np.ndarray, axis: np.ndarray, split_lengths: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Split into pieces of ``split_lengths`` along ``axis`` (a scalar or [1]); one length may be -1.

    data [..., d_axis, ...], split_lengths [n] -> n outputs [..., split_lengths[i], ...], where -1
    is the rest of the dimension. Raises ValueError where the lengths do not add up to d_axis.
    """
    along = one_axis(axis, data.ndim, "VariadicSplit-1: axis")
    require_rank(split_lengths, (1,), "VariadicSplit-1: split_lengths")
    size, lengths = data.shape[along], split_lengths.tolist()
    if lengths.count(-1) == 1:
        # The rest of the dimension; negative where the other lengths exceed it.
        lengths[lengths.index(-1)] = size - (sum(lengths) + 1)
    if min(lengths, default=0) < 0 or sum(lengths) != size:
        given = split_lengths.tolist()
        raise ValueError(
            f"VariadicSplit-1: lengths of 0 or more, or -1 once, must add up to {size}, got {given}"
        )
    return tuple(np.split(data, np.cumsum(lengths, dtype=np.int64)[:-1], along))
