"""GatherElements (page GatherElements-6)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis
from reference.shared.checks import positions, require_rank_from


@implements("GatherElements-6")
def gather_elements(data: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    """For each index the element of data at the same position, except along ``axis``, where the index gives it.

    A negative index counts from the end of that axis.
    data [..., D, ...] and indices [..., I, ...], equal except along ``axis`` -> the shape of indices.
    Raises ValueError where the shapes disagree, data lacks the axis, or an index is out of range.
    """
    require_rank_from(data, 1, "GatherElements-6: data")
    axis = normalize_axis(axis, data.ndim, "GatherElements-6: axis")
    expected = (*data.shape[:axis], *indices.shape[axis : axis + 1], *data.shape[axis + 1 :])
    if indices.shape != expected:
        raise ValueError(
            f"GatherElements-6: indices must have the shape of data, {data.shape}, "
            f"except along axis {axis}, got {indices.shape}"
        )
    places = positions(indices, data.shape[axis], "GatherElements-6: indices", negative=True)
    return np.take_along_axis(data, places, axis)
