"""ScatterNDUpdate (pages ScatterNDUpdate-3 and ScatterNDUpdate-15)."""

from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.shared.checks import flat_positions
from reference.shared.scattering import Reduced, scatter


@implements("ScatterNDUpdate-3")
def scatter_nd_update_3(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """A copy of data with the element or slice that each tuple of indices names replaced by that of updates.

    data [D_1, ..., D_k, S...], indices [I..., k], updates [I..., S...]; where that is a scalar, any tensor with one
    element. Raises ValueError where the shapes disagree or an index is negative or too large.
    """
    return _scatter_nd("ScatterNDUpdate-3", data, indices, updates)


@implements("ScatterNDUpdate-15", accuracy=Reduced())
def scatter_nd_update_15(
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    *,
    reduction: Literal["none", "sum", "sub", "prod", "min", "max"] = "none",
) -> np.ndarray:
    """As ScatterNDUpdate-3, with negative indices and with updates combined with data by ``reduction``.

    Sums, differences and products of floats are float64.
    """
    return _scatter_nd("ScatterNDUpdate-15", data, indices, updates, reduction, negative=True)


def _scatter_nd(
    name: str,
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    reduction: str = "none",
    negative: bool = False,
) -> np.ndarray:
    if min(data.ndim, indices.ndim) < 1:
        raise ValueError(f"{name}: data and indices must have rank 1 or more, got a scalar")
    k = indices.shape[-1]
    if k > data.ndim:
        raise ValueError(f"{name}: tuples of indices must have at most {data.ndim} items, got {k}")
    expected = indices.shape[:-1] + data.shape[k:]
    if updates.shape != expected and not (expected == () and updates.size == 1):
        raise ValueError(f"{name}: updates must have shape {expected}, got {updates.shape}")
    places = flat_positions(indices, data.shape[:k], f"{name}: indices", negative)
    slices = data.reshape(prod(data.shape[:k]), prod(data.shape[k:]))
    values = updates.reshape(places.size, prod(data.shape[k:]))
    return scatter(slices, places.reshape(-1), values, reduction).reshape(data.shape)
