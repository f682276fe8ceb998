"""Reshape (page Reshape-1)."""

from math import prod

import numpy as np

from reference import implements
from reference.shared.axes import require_rank
from reference.shared.dividing import reshaped


@implements("Reshape-1", parts=reshaped)
def reshape(data: np.ndarray, shape: np.ndarray, *, special_zero: bool) -> np.ndarray:
    """The elements of ``data``, in their order, in another ``shape`` [n].

    A -1 is calculated from the number of elements. A 0 is the dimension of data at the same position where
    ``special_zero``, a dimension of 0 otherwise. Raises ValueError where the elements do not fit.
    """
    require_rank(shape, (1,), "Reshape-1: shape")
    given = [int(size) for size in shape]
    wanted = list(given)
    if special_zero:
        for axis, size in enumerate(given):
            if size == 0:
                if axis >= data.ndim:
                    raise ValueError(
                        f"Reshape-1: shape[{axis}] = 0 must copy one of {data.ndim} dimensions"
                    )
                wanted[axis] = data.shape[axis]
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        raise ValueError(f"Reshape-1: a dimension must be 0 or more, or -1 once, got {given}")
    if -1 in wanted:
        known = -prod(wanted)
        if known == 0 or data.size % known:
            raise ValueError(f"Reshape-1: {data.size} elements must give a whole -1 in {given}")
        wanted[wanted.index(-1)] = data.size // known
    if prod(wanted) != data.size:
        raise ValueError(f"Reshape-1: shape must hold {data.size} elements, got {given}")
    return data.reshape(wanted)
