"""Reverse (page Reverse-1)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.axes import require_rank


@implements("Reverse-1")
def reverse(data: np.ndarray, axis: np.ndarray, *, mode: Literal["index", "mask"]) -> np.ndarray:
    """Reverse the order of elements along axes.

    ``mode``: with ``index``, axis [0 to n elements] lists the axes; with ``mask``, axis [n] is true for them.
    Raises ValueError where axis does not fit the mode or the rank of data.
    """
    rank = data.ndim
    if mode == "mask":
        if axis.dtype != np.bool_ or axis.shape != (rank,):
            got = f"{axis.dtype} of shape {list(axis.shape)}"
            raise ValueError(f"Reverse-1: axis must be a mask of {rank} booleans, got {got}")
        return np.flip(data, tuple(np.flatnonzero(axis)))
    require_rank(axis, (1,), "Reverse-1: axis")
    axes = [int(a) for a in axis]
    if any(not 0 <= a < rank for a in axes) or len(set(axes)) != len(axes):
        raise ValueError(f"Reverse-1: axis must hold different axes in [0, {rank}), got {axes}")
    return np.flip(data, tuple(axes))
