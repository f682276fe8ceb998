"""Roll (page Roll-7)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis


@implements("Roll-7")
def roll(data: np.ndarray, shift: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Shift elements along axes; elements that leave at one end enter at the other.

    data [d_0, ..., d_n-1] -> the same shape. shift is a scalar for all axes or has one element for
    each of them; positive is towards larger indices. The shifts of a repeated axis are added.
    Raises ValueError where shift and axes do not fit, or an axis does not exist.
    """
    if shift.ndim > 1 or axes.ndim > 1:
        raise ValueError(
            "Roll-7: shift and axes must be scalars or of rank 1, "
            f"got shapes {list(shift.shape)} and {list(axes.shape)}"
        )
    places = [normalize_axis(a, data.ndim, "Roll-7: axes") for a in axes.reshape(-1)]
    if shift.ndim == 1 and shift.shape != axes.shape:
        raise ValueError(
            f"Roll-7: a shift of rank 1 must have the shape of axes {list(axes.shape)}, "
            f"got {list(shift.shape)}"
        )
    shifts = np.broadcast_to(shift, axes.shape).reshape(-1).tolist()
    total = dict.fromkeys(places, 0)
    for axis, by in zip(places, shifts, strict=True):
        total[axis] += by
    rolled = data
    for axis, by in total.items():
        size = data.shape[axis]
        if size:
            # Python's integers: sums of 64-bit shifts do not overflow.
            rolled = rolled.take((np.arange(size) - by % size) % size, axis)
    return rolled
