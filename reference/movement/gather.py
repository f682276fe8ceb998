"""Gather (pages Gather-1, Gather-7 and Gather-8)."""

import numpy as np

from reference import implements
from reference.shared.axes import one_axis
from reference.shared.checks import positions, require_same_batches


@implements("Gather-1")
def gather_1(data: np.ndarray, indices: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Slices of ``data`` along ``axis`` in the order of ``indices``, which replace that dimension.

    data [..., D, ...], indices of any shape and within [0, D) -> [..., *indices.shape, ...].
    ``axis`` is a scalar or [1]. Raises ValueError for an axis that data lacks and for an index out of
    range.
    """
    along = one_axis(axis, data.ndim, "Gather-1: axis")
    return data.take(positions(indices, data.shape[along], "Gather-1: indices"), along)


@implements("Gather-7")
def gather_7(
    data: np.ndarray, indices: np.ndarray, axis: np.ndarray, *, batch_dims: int = 0
) -> np.ndarray:
    """Like Gather-1, but the first ``batch_dims`` dimensions of data and indices are batches.

    Each batch is gathered on its own. A negative ``batch_dims`` counts from the rank of indices.
    The output is [*data.shape[:axis], *indices.shape[batch_dims:], *data.shape[axis + 1:]].
    Raises ValueError where batches differ, batch_dims exceeds axis, or an index is out of range.
    """
    along = one_axis(axis, data.ndim, "Gather-7: axis")
    places = positions(indices, data.shape[along], "Gather-7: indices")
    return _gather("Gather-7", data, places, along, batch_dims)


@implements("Gather-8")
def gather_8(
    data: np.ndarray, indices: np.ndarray, axis: np.ndarray, *, batch_dims: int = 0
) -> np.ndarray:
    """Like Gather-7, but a negative index counts from the end and one that is out of range gives zeros."""
    along = one_axis(axis, data.ndim, "Gather-8: axis")
    size = data.shape[along]
    outside = (indices < -size) | (indices >= size)
    if outside.any():
        # Indices out of range select a slice of zeros that is appended to data.
        zeros = np.zeros([*data.shape[:along], 1, *data.shape[along + 1 :]], data.dtype)
        # Strings have no zero, and the zero bits of float8_e8m0fnu are the number 2^-127.
        if data.dtype.kind == "O" or zeros.astype(np.float64).any():
            raise ValueError(f"Gather-8: {data.dtype} has no zero for indices out of range")
        data = np.concatenate([data, zeros], along)
    places = indices.astype(np.int64)
    places = np.where(outside, size, np.where(places < 0, places + size, places))
    return _gather("Gather-8", data, places, along, batch_dims)


def _gather(
    name: str, data: np.ndarray, indices: np.ndarray, axis: int, batch_dims: int
) -> np.ndarray:
    """``axis`` and indices are positions from 0."""
    most = min(data.ndim, indices.ndim)
    if not -most <= batch_dims <= most:
        raise ValueError(f"{name}: batch_dims must be in [{-most}, {most}], got {batch_dims}")
    b = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if b > axis:
        raise ValueError(f"{name}: batch_dims must not exceed axis, got {b} and {axis}")
    require_same_batches(name, data, indices, b)
    output = np.empty(data.shape[:axis] + indices.shape[b:] + data.shape[axis + 1 :], data.dtype)
    for i in np.ndindex(*data.shape[:b]):
        output[i] = data[i].take(indices[i], axis - b)
    return output
