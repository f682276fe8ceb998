"""Unique (page Unique-10)."""

from math import prod

import numpy as np

from reference import implements
from reference.shared.axes import one_axis
from reference.shared.checks import INDEX_TYPES, IndexType


@implements("Unique-10")
def unique(
    data: np.ndarray,
    axis: np.ndarray | None = None,
    *,
    sorted: bool = True,
    index_element_type: IndexType = "i64",
    count_element_type: IndexType = "i64",
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The distinct elements of ``data``, or, with ``axis`` (a scalar or [1]), its distinct slices.

    n elements or slices, m distinct ones -> those [m], or data's shape with m at axis; where each first
    occurs [m]; the position of each of the n among the m [n]; how often each occurs [m]. ``sorted`` puts them
    in ascending order, slices by their first elements that differ; else they have the order of their first occurrences.
    The page does not say what NaN equals. Raises ValueError for an axis outside [-r, r - 1].
    """
    along = 0 if axis is None else one_axis(axis, data.ndim, "Unique-10: axis")
    data = data.reshape(-1) if axis is None else data
    where: dict[tuple[object, ...], list[int]] = {}
    for position, key in enumerate(_keys(data, along)):
        where.setdefault(key, []).append(position)
    keys = list(where)  # as they first occur
    if sorted:
        keys.sort()
    first = np.array([where[key][0] for key in keys], INDEX_TYPES[index_element_type])
    inverse = np.empty(data.shape[along], INDEX_TYPES[index_element_type])
    for number, key in enumerate(keys):
        inverse[where[key]] = number
    counts = np.array([len(where[key]) for key in keys], INDEX_TYPES[count_element_type])
    return data.take(first, along), first, inverse, counts


def _keys(data: np.ndarray, axis: int) -> list[tuple[object, ...]]:
    """The elements of each slice along ``axis``, as Python values that compare exactly."""
    slices = np.moveaxis(data, axis, 0)
    slices = slices.reshape(len(slices), prod(slices.shape[1:]))
    if slices.dtype.kind == "V":
        # The small types of ml_dtypes; float64 holds all their values.
        slices = slices.astype(np.float64)
    return [tuple(row) for row in slices.tolist()]
