"""Slice (page Slice-8)."""

import numpy as np

from reference import implements
from reference.shared.slicing import slices


@implements("Slice-8")
def slice_8(
    data: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    step: np.ndarray,
    axes: np.ndarray | None = None,
) -> np.ndarray:
    """Take ``data[start:stop:step]`` along each of the axes, as in Python.

    data of rank 1 or more; start, stop, step and axes [n] -> the same rank.
    Raises ValueError for a step of 0, unequal lengths, or axes that do not exist or repeat.
    """
    return data[slices("Slice-8", data.shape, start, stop, step, axes)]
