"""Gather (pages Gather-1, Gather-7 and Gather-8)."""

from __future__ import annotations

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, one_number


@implements("Gather-1")
def gather_1(data: np.ndarray, indices: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Slices of ``data`` along ``axis`` in the order of ``indices``, which replace that dimension.

    data [..., D, ...], indices of any shape and within [0, D) -> [..., *indices.shape, ...].
    ``axis`` is a scalar or [1]. Raises ValueError for an axis that data lacks and for an index out of
    range.
    """
    axis_number = _axis("Gather-1", axis, data.ndim)
    _require_in_range("Gather-1", indices, data.shape[axis_number])
    return _gather("Gather-1", data, indices, axis_number, 0)


@implements("Gather-7")
def gather_7(
    data: np.ndarray, indices: np.ndarray, axis: np.ndarray, *, batch_dims: int = 0
) -> np.ndarray:
    """As Gather-1, but the first ``batch_dims`` dimensions of data and indices are batches.

    Each batch is gathered on its own. A negative ``batch_dims`` counts from the rank of indices.
    The output is [*data.shape[:axis], *indices.shape[batch_dims:], *data.shape[axis + 1:]].
    Raises ValueError where batches differ, batch_dims exceeds axis, or an index is out of range.
    """
    axis_number = _axis("Gather-7", axis, data.ndim)
    _require_in_range("Gather-7", indices, data.shape[axis_number])
    return _gather("Gather-7", data, indices, axis_number, batch_dims)


@implements("Gather-8")
def gather_8(
    data: np.ndarray, indices: np.ndarray, axis: np.ndarray, *, batch_dims: int = 0
) -> np.ndarray:
    """As Gather-7, but a negative index counts from the end and one beyond the ends gives zeros."""
    axis_number = _axis("Gather-8", axis, data.ndim)
    size = data.shape[axis_number]
    outside = (indices < -size) | (indices >= size)
    places = np.where(outside, 0, indices).astype(np.int64)
    places = np.where(places < 0, places + size, places)
    if outside.any():
        # What indices out of range take is one slice of zeros after the last slice of data.
        one_slice = [*data.shape[:axis_number], 1, *data.shape[axis_number + 1 :]]
        data = np.concatenate([data, _zeros(one_slice, data.dtype)], axis_number)
        places = np.where(outside, size, places)
    return _gather("Gather-8", data, places, axis_number, batch_dims)


def _axis(name: str, axis: np.ndarray, rank: int) -> int:
    return normalize_axis(one_number(axis, f"{name}: axis"), rank, f"{name}: axis")


def _require_in_range(name: str, indices: np.ndarray, size: int) -> None:
    outside = indices[(indices < 0) | (indices >= size)]
    if outside.size:
        raise ValueError(f"{name}: indices must be in [0, {size}), got {outside[0]}")


def _zeros(shape: list[int], dtype: np.dtype) -> np.ndarray:
    zeros = np.zeros(shape, dtype)
    # Strings have no zero, and the zero bits of float8_e8m0fnu are the number 2^-127.
    if dtype.kind == "O" or zeros.astype(np.float64).any():
        raise ValueError(f"Gather-8: {dtype} has no zero for indices out of range")
    return zeros


def _gather(
    name: str, data: np.ndarray, indices: np.ndarray, axis: int, batch_dims: int
) -> np.ndarray:
    """``axis`` counts from 0 and every index is a place in data."""
    least, most = -min(data.ndim, indices.ndim), min(data.ndim, indices.ndim)
    if not least <= batch_dims <= most:
        raise ValueError(f"{name}: batch_dims must be in [{least}, {most}], got {batch_dims}")
    b = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if b > axis:
        raise ValueError(f"{name}: batch_dims must not exceed axis, got {b} and {axis}")
    batch = data.shape[:b]
    if indices.shape[:b] != batch:
        raise ValueError(
            f"{name}: data and indices must have the same batches, got {batch} and "
            f"{indices.shape[:b]}"
        )
    if not batch:
        return data.take(indices.astype(np.int64), axis)
    output = np.empty(data.shape[:axis] + indices.shape[b:] + data.shape[axis + 1 :], data.dtype)
    for i in np.ndindex(*batch):
        output[i] = data[i].take(indices[i].astype(np.int64), axis - b)
    return output
