"""Roll (page Roll-7)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, require_rank


@implements("Roll-7")
def roll(data: np.ndarray, shift: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Shift elements along axes; elements that leave at one end enter at the other.

    shift is a scalar for all axes or has one element for each of them; positive is towards larger indices. The shifts
    of a repeated axis are added. Raises ValueError where shift and axes do not fit, or an axis does not exist.
    """
    require_rank(shift, (0, 1), "Roll-7: shift")
    require_rank(axes, (0, 1), "Roll-7: axes")
    if shift.ndim == 1 and shift.shape != axes.shape:
        shapes = f"{list(axes.shape)}, got {list(shift.shape)}"
        raise ValueError(f"Roll-7: a shift of rank 1 must have the shape of axes {shapes}")
    total: dict[int, int] = {}
    for stated, by in zip(axes.reshape(-1), np.broadcast_to(shift, axes.shape).flat, strict=True):
        axis = normalize_axis(stated, data.ndim, "Roll-7: axes")
        # Python's integers: sums of 64-bit shifts do not overflow.
        total[axis] = total.get(axis, 0) + int(by)
    rolled = data
    for axis, by in total.items():
        size = data.shape[axis]
        if size:
            rolled = rolled.take((np.arange(size) - by % size) % size, axis)
    return rolled
