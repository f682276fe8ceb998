"""Broadcast (pages Broadcast-1, Broadcast-3)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.broadcasting import bidirectional, one_directional


@implements("Broadcast-1")
def broadcast_1(
    data: np.ndarray,
    target_shape: np.ndarray,
    axes_mapping: np.ndarray | None = None,
    *,
    mode: Literal["numpy", "explicit"] = "numpy",
) -> np.ndarray:
    """Repeat ``data`` until it has ``target_shape`` [n].

    ``mode``: ``numpy`` aligns the dimensions right; ``explicit`` places dimension i of data at
    dimension axes_mapping[i] of the output. Raises ValueError where the shapes do not allow it.
    """
    return _broadcast("Broadcast-1", data, target_shape, axes_mapping, mode)


@implements("Broadcast-3")
def broadcast_3(
    data: np.ndarray,
    target_shape: np.ndarray,
    axes_mapping: np.ndarray | None = None,
    *,
    mode: Literal["numpy", "explicit", "bidirectional"] = "numpy",
) -> np.ndarray:
    """Like Broadcast-1; ``bidirectional`` aligns right, and the output is larger where ``target_shape`` is 1."""
    return _broadcast("Broadcast-3", data, target_shape, axes_mapping, mode)


def _broadcast(
    name: str, data: np.ndarray, target_shape: np.ndarray, mapping: np.ndarray | None, mode: str
) -> np.ndarray:
    target = tuple(int(size) for size in target_shape)
    try:
        if min(target, default=0) < 0:
            raise ValueError(f"target_shape must not be negative, got {list(target)}")
        if (mapping is not None) != (mode == "explicit"):
            raise ValueError("axes_mapping must be given in mode explicit and in no other")
        if mapping is not None:
            data = _mapped(data, target, [int(axis) for axis in mapping])
        spread = bidirectional if mode == "bidirectional" else one_directional
        return spread(data, target).copy()
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _mapped(data: np.ndarray, target: tuple[int, ...], axes: list[int]) -> np.ndarray:
    """``data`` with as many dimensions as the target, its own at ``axes`` and 1 elsewhere."""
    if len(axes) != data.ndim or axes != sorted(set(axes)):
        raise ValueError(f"axes_mapping must be {data.ndim} different axes in order, got {axes}")
    if not all(0 <= axis < len(target) for axis in axes):
        raise ValueError(f"axes_mapping must be in [0, {len(target)}), got {axes}")
    if [target[axis] for axis in axes] != list(data.shape):
        shapes = f"{list(data.shape)} at {axes} of {list(target)}"
        raise ValueError(f"the mapped dimensions must be the same, got {shapes}")
    return data.reshape([size if axis in axes else 1 for axis, size in enumerate(target)])
