"""OneHot (pages OneHot-1 and OneHot-16)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, require_rank


@implements("OneHot-16")
def one_hot(
    indices: np.ndarray,
    depth: np.ndarray,
    on_value: np.ndarray,
    off_value: np.ndarray,
    *,
    axis: int,
    negative_indices_mode: Literal["ignore_negative", "normalize"] = "ignore_negative",
) -> np.ndarray:
    """A new dimension ``axis`` of ``depth`` elements: ``on_value`` at the place of the index, ``off_value`` elsewhere.

    Indices that are no class have ``off_value`` alone; with ``normalize`` those from -depth to -1 count from depth.
    Raises ValueError for a depth below 1, an axis that the output lacks and values that are no scalars.
    """
    for name, value in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
        require_rank(value, (0,), f"OneHot: {name}")
    classes = int(depth)
    if classes < 1:
        raise ValueError(f"OneHot: depth must be positive, got {classes}")
    place = normalize_axis(axis, indices.ndim + 1, "OneHot: axis")
    if negative_indices_mode == "normalize":
        indices = np.where(indices < 0, indices + classes, indices)
    is_class = np.expand_dims(indices, -1) == np.arange(classes)
    return np.where(np.moveaxis(is_class, -1, place), on_value, off_value)


@implements("OneHot-1")
def one_hot_of_1(
    indices: np.ndarray,
    depth: np.ndarray,
    on_value: np.ndarray,
    off_value: np.ndarray,
    *,
    axis: int,
) -> np.ndarray:
    """Like OneHot-16, which behaves as this one without its mode."""
    return one_hot(indices, depth, on_value, off_value, axis=axis)
