"""What several pages say of inputs: lengths, ranks, and types and ranges of indices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from reference.accuracy import is_integer

IndexType = Literal["i64", "i32"]
# The types that outputs of indices may have.
INDEX_TYPES: dict[str, np.dtype] = {"i64": np.dtype(np.int64), "i32": np.dtype(np.int32)}


def require_length(given: Iterable[object], length: int, name: str) -> None:
    """Raises ValueError for another number of elements."""
    count = len(list(given))
    if count != length:
        raise ValueError(f"{name} must have {length} elements, got {count}")


def require_rank_from(data: np.ndarray, least: int, name: str) -> None:
    """Raises ValueError for a tensor with a smaller rank."""
    if data.ndim < least:
        raise ValueError(f"{name} must have rank {least} or more, got {data.ndim}")


def require_same_batches(name: str, data: np.ndarray, indices: np.ndarray, batch_dims: int) -> None:
    """Raises ValueError where the first ``batch_dims`` dimensions of data and indices differ."""
    one, two = data.shape[:batch_dims], indices.shape[:batch_dims]
    if one != two:
        raise ValueError(
            f"{name}: data and indices must have the same batches, got {one} and {two}"
        )


def positions(indices: np.ndarray, size: int, name: str, negative: bool = False) -> np.ndarray:
    """Indices of a dimension as int64 from 0; with ``negative`` those below 0 count from the end.

    Raises ValueError for one that is out of range.
    """
    if not is_integer(indices.dtype):
        raise ValueError(f"{name} must be integers, got {indices.dtype}")
    least = -size if negative else 0
    # As Python's integers: NumPy 2.1 dies of comparing a view of unsigned numbers with a negative one.
    if indices.size and not least <= int(indices.min()) <= int(indices.max()) < size:
        outside = next(int(one) for one in indices.flat if not least <= int(one) < size)
        raise ValueError(f"{name} must be in [{least}, {size}), got {outside}")
    places = indices.astype(np.int64)
    return np.where(places < 0, places + size, places) if negative else places


def flat_positions(
    indices: np.ndarray, shape: tuple[int, ...], name: str, negative: bool = False
) -> np.ndarray:
    """Tuples of indices [..., k] as positions [...] in a flattened tensor of ``shape`` [k], in row-major order.

    Raises ValueError for an index that is out of range.
    """
    flat = np.zeros(indices.shape[:-1], np.int64)
    for item, size in enumerate(shape):
        flat = flat * size + positions(indices[..., item], size, f"{name}[..., {item}]", negative)
    return flat
