"""Squeeze (pages Squeeze-1, Squeeze-15)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis
from reference.shared.dividing import without_axes_of_one


@implements("Squeeze-1", parts=without_axes_of_one)
def squeeze_1(data: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
    """Remove those dimensions of ``axes`` (a scalar or [n]) that are 1; without axes all that are 1.

    Empty axes are no axes. Raises ValueError where an axis is outside [-R, R - 1].
    """
    return _squeeze("Squeeze-1", data, axes)


@implements("Squeeze-15", parts=without_axes_of_one)
def squeeze_15(
    data: np.ndarray, axes: np.ndarray | None = None, *, allow_axis_skip: bool = False
) -> np.ndarray:
    """Like Squeeze-1; ``allow_axis_skip`` is about unknown dimensions and changes no values."""
    return _squeeze("Squeeze-15", data, axes)


def _squeeze(name: str, data: np.ndarray, axes: np.ndarray | None) -> np.ndarray:
    if axes is not None and axes.ndim > 1:
        raise ValueError(f"{name}: axes must have rank 0 or 1, got {axes.ndim}")
    named = set(range(data.ndim))
    if axes is not None and axes.size > 0:
        named = {normalize_axis(axis, data.ndim, f"{name}: axes") for axis in axes.reshape(-1)}
    kept = [size for axis, size in enumerate(data.shape) if size != 1 or axis not in named]
    return data.reshape(kept)
