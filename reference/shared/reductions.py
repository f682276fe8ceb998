"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference.accuracy import Call
from reference.shared.axes import normalize_axes, require_rank
from reference.shared.elementwise import real


def normal_axes(name: str, data: np.ndarray, axes: np.ndarray) -> tuple[int, ...]:
    """The axes from 0, a scalar being one axis. Raises ValueError for one that does not exist or is repeated."""
    require_rank(axes, (0, 1), f"{name}: axes")
    return tuple(normalize_axes(np.ravel(axes), data.ndim, f"{name}: axes"))


def reduce(
    function: Callable[..., np.ndarray],
    name: str,
    data: np.ndarray,
    axes: np.ndarray,
    keep_dims: bool,
) -> np.ndarray:
    """A NumPy reduction over axes, of reals in float64 and of integers in their type. Raises as ``normal_axes``."""
    values = real(data)
    along = normal_axes(name, data, axes)
    return function(values, axis=along, keepdims=keep_dims, dtype=values.dtype)


def size(data: np.ndarray, axes: tuple[int, ...]) -> int:
    """The number of elements along axes."""
    return int(np.prod([data.shape[axis] for axis in axes], dtype=np.int64))


def count(call: Call) -> int:
    """The number of elements that are reduced to one element of the output."""
    return size(call.array(0), tuple(int(axis) for axis in np.ravel(call.array(1))))
