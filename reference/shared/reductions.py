"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference.accuracy import Call, Rounded
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


def absolute(data: np.ndarray) -> np.ndarray:
    """Absolute values, of reals in float64 and of integers in their type, where that of the least one wraps."""
    values = real(data)
    return np.where(values < 0, -values, values).astype(values.dtype)


def extreme(
    function: Callable[..., np.ndarray],
    name: str,
    data: np.ndarray,
    axes: np.ndarray,
    keep_dims: bool,
) -> np.ndarray:
    """The largest or smallest numbers over axes, of reals in float64; 0 of no elements. Raises as ``normal_axes``."""
    values = real(data)
    along = normal_axes(name, data, axes)
    if values.size == 0:
        return np.sum(values, axis=along, keepdims=keep_dims, dtype=values.dtype)
    # NumPy computes with integers of 4 bits in 8.
    return function(values, axis=along, keepdims=keep_dims).astype(values.dtype)


def _open(call: Call) -> np.ndarray:
    """Results of no elements, which the pages call undefined, and of NaN, which they do not order."""
    data, along = call.reals(0), normal_axes("axes", call.array(0), call.array(1))
    keep_dims = call.attributes.get("keep_dims", False)
    return np.any(np.isnan(data), axis=along, keepdims=keep_dims) | (count(call) == 0)


# One of the numbers is the answer.
EXTREME = Rounded(bound=0, quality=0, silent=_open, operands=1)


def size(data: np.ndarray, axes: tuple[int, ...]) -> int:
    """The number of elements along axes."""
    return int(np.prod([data.shape[axis] for axis in axes], dtype=np.int64))


def count(call: Call) -> int:
    """The number of elements that are reduced to one element of the output."""
    return size(call.array(0), tuple(int(axis) for axis in np.ravel(call.array(1))))
