"""ScatterNDUpdate (pages ScatterNDUpdate-3 and ScatterNDUpdate-15)."""

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice
from reference.shared.checks import flat_positions
from reference.shared.scattering import Reduced, scatter


@implements("ScatterNDUpdate-3")
def scatter_nd_update_3(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """A copy of data with the element or slice that each tuple of indices names replaced by that of updates.

    data [D_1, ..., D_k, S...], indices [I..., k], updates [I..., S...]; where that is a scalar, any tensor with one
    element. Raises ValueError where the shapes disagree or an index is negative or too large.
    """
    return _scatter_nd("ScatterNDUpdate-3", data, indices, updates)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Where several updates are written to one place the page leaves their order open: any of them may be the last."""
    (written,), (given,) = call.outputs, actual
    if call.attributes.get("reduction", "none") != "none" or given.shape != written.shape:
        return (written,)
    data, indices, updates = (call.array(number) for number in range(3))
    places = _places("ScatterNDUpdate-15", data, indices, negative=True).reshape(-1)
    _, which, counts = np.unique(places, return_inverse=True, return_counts=True)
    numbers = np.flatnonzero(counts[which] > 1)
    if not numbers.size:
        return (written,)
    k = indices.shape[-1]
    whole = prod(data.shape[:k]), prod(data.shape[k:])
    slices, had = written.reshape(whole).copy(), given.reshape(whole)
    values = updates.reshape(places.size, whole[1])
    for number in numbers:
        place = places[number]
        if np.all(_same(values[number], had[place])):
            slices[place] = values[number]
    return (slices.reshape(written.shape),)


def _same(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first == second) | ((first != first) & (second != second))


@implements("ScatterNDUpdate-15", accuracy=Choice(_nearest, within=Reduced()))
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
    places = _places(name, data, indices, negative)
    slices = data.reshape(prod(data.shape[:k]), prod(data.shape[k:]))
    values = updates.reshape(places.size, prod(data.shape[k:]))
    return scatter(slices, places.reshape(-1), values, reduction).reshape(data.shape)


def _places(name: str, data: np.ndarray, indices: np.ndarray, negative: bool) -> np.ndarray:
    return flat_positions(indices, data.shape[: indices.shape[-1]], f"{name}: indices", negative)
