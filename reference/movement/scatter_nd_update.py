"""ScatterNDUpdate (pages ScatterNDUpdate-3 and ScatterNDUpdate-15)."""

from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import DECIDED, Bounds, Call
from reference.shared.checks import flat_positions
from reference.shared.scattering import Reduced, scatter

_Order = Literal["last", "first"]


@implements("ScatterNDUpdate-3")
def scatter_nd_update_3(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """A copy of data with the element or slice that each tuple of indices names replaced by that of updates.

    data [D_1, ..., D_k, S...], indices [I..., k], updates [I..., S...]; where that is a scalar, any tensor with one
    element. Raises ValueError where the shapes disagree or an index is negative or too large.
    """
    return _scatter_nd("ScatterNDUpdate-3", data, indices, updates)


@dataclass(frozen=True)
class _Ordered(Reduced):
    """By value, not bit for bit, where the order of the updates shows: two answers are compared then."""

    def bounds(self, call: Call, output_index: int) -> Bounds:
        orders: tuple[_Order, ...] = ("first", "last")
        if call.attributes.get("reduction", "none") == "none":
            given = [
                call.function(*call.inputs, **{**call.attributes, "kept": each}) for each in orders
            ]
            if given[0].tobytes() != given[1].tobytes():
                return DECIDED.bounds(call, output_index)
        return super().bounds(call, output_index)


# The page leaves open which of several updates of one place is kept.
@implements("ScatterNDUpdate-15", accuracy=_Ordered(), readings=[{"kept": "first"}])
def scatter_nd_update_15(
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    *,
    reduction: Literal["none", "sum", "sub", "prod", "min", "max"] = "none",
    kept: _Order = "last",
) -> np.ndarray:
    """Like ScatterNDUpdate-3, with negative indices and with updates combined with data by ``reduction``.

    Sums, differences and products of floats are float64. ``kept`` of several updates written to one place is the last
    or the first.
    """
    return _scatter_nd(
        "ScatterNDUpdate-15", data, indices, updates, reduction, negative=True, kept=kept
    )


def _scatter_nd(
    name: str,
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    reduction: str = "none",
    negative: bool = False,
    kept: _Order = "last",
) -> np.ndarray:
    if min(data.ndim, indices.ndim) < 1:
        raise ValueError(f"{name}: data and indices must have rank 1 or more, got a scalar")
    k = indices.shape[-1]
    if k > data.ndim:
        raise ValueError(f"{name}: tuples of indices must have at most {data.ndim} items, got {k}")
    expected = indices.shape[:-1] + data.shape[k:]
    if updates.shape != expected and not (expected == () and updates.size == 1):
        raise ValueError(f"{name}: updates must have shape {expected}, got {updates.shape}")
    places = flat_positions(indices, data.shape[:k], f"{name}: indices", negative).reshape(-1)
    slices = data.reshape(prod(data.shape[:k]), prod(data.shape[k:]))
    values = updates.reshape(places.size, prod(data.shape[k:]))
    if kept == "first":
        places, values = places[::-1], values[::-1]
    return scatter(slices, places, values, reduction).reshape(data.shape)
