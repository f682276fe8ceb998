"""ScatterUpdate (page ScatterUpdate-3)."""

from __future__ import annotations

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, one_number


@implements("ScatterUpdate-3")
def scatter_update(
    data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    """A copy of data with slices along ``axis`` replaced by those of updates, where indices say.

    data [..., D, ...], indices of any shape and within [0, D), updates [..., *indices.shape, ...]; axis is a scalar
    or [1]. Raises ValueError where the shapes disagree, data lacks the axis, or an index is out of range.
    """
    name = "ScatterUpdate-3: axis"
    along = normalize_axis(one_number(axis, name), data.ndim, name)
    expected = (*data.shape[:along], *indices.shape, *data.shape[along + 1 :])
    if updates.shape != expected:
        raise ValueError(
            f"ScatterUpdate-3: updates must have shape {expected}, got {updates.shape}"
        )
    size = data.shape[along]
    outside = indices[(indices < 0) | (indices >= size)]
    if outside.size:
        raise ValueError(f"ScatterUpdate-3: indices must be in [0, {size}), got {outside[0]}")
    slices = updates.reshape(*data.shape[:along], indices.size, *data.shape[along + 1 :])
    # One slice of those for one place, the last, is read; the page's example has ten times as many as places.
    places, last = np.unique(indices.reshape(-1)[::-1], return_index=True)
    output = data.copy()
    # A view: what is written along the first axis of it stands in output.
    np.moveaxis(output, along, 0)[places.astype(np.int64)] = np.moveaxis(slices, along, 0)[
        indices.size - 1 - last
    ]
    return output
