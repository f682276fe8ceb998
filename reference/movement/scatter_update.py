"""ScatterUpdate (page ScatterUpdate-3)."""

import numpy as np

from reference import implements
from reference.shared.axes import one_axis
from reference.shared.checks import positions


@implements("ScatterUpdate-3")
def scatter_update(
    data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    """A copy of data with slices along ``axis`` at the positions in indices replaced by those of updates.

    data [..., D, ...], indices of any shape and within [0, D), updates [..., *indices.shape, ...]; axis is a scalar
    or [1]. Raises ValueError where the shapes disagree, data lacks the axis, or an index is out of range.
    """
    along = one_axis(axis, data.ndim, "ScatterUpdate-3: axis")
    before, after = data.shape[:along], data.shape[along + 1 :]
    expected = (*before, *indices.shape, *after)
    if updates.shape != expected:
        raise ValueError(f"ScatterUpdate-3: updates must be {expected}, got {updates.shape}")
    places = positions(indices.reshape(-1), data.shape[along], "ScatterUpdate-3: indices")
    slices = updates.reshape(*before, indices.size, *after)
    output = data.copy()
    # Of several updates of one position the last is kept. moveaxis gives a view of the output.
    np.moveaxis(output, along, 0)[places] = np.moveaxis(slices, along, 0)
    return output
