"""SliceScatter (page SliceScatter-15)."""

import numpy as np

from reference import implements
from reference.shared.slicing import slices


@implements("SliceScatter-15")
def slice_scatter(
    data: np.ndarray,
    updates: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    step: np.ndarray,
    axes: np.ndarray | None = None,
) -> np.ndarray:
    """Copy data with ``data[start:stop:step]`` along each of the axes replaced by updates.

    data of rank 1 or more, updates in the shape of the slice; start, stop, step and axes [n] -> the
    shape of data. Raises ValueError where updates have another shape, or as Slice does.
    """
    output = data.copy()
    region = slices("SliceScatter-15", data.shape, start, stop, step, axes)
    if updates.shape != output[region].shape:
        raise ValueError(
            f"SliceScatter-15: updates must have the shape of the slice "
            f"{list(output[region].shape)}, got {list(updates.shape)}"
        )
    output[region] = updates
    return output
