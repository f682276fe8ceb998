"""Unique (page Unique-10)."""

from collections import Counter
from math import prod

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, one_number
from reference.shared.checks import index_type

Outputs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@implements("Unique-10")
def unique(
    data: np.ndarray,
    axis: np.ndarray | None = None,
    *,
    sorted: bool = True,
    index_element_type: str = "i64",
    count_element_type: str = "i64",
) -> Outputs:
    """The distinct elements of ``data``, or, with ``axis`` (a scalar or [1]), its distinct slices.

    n elements or slices, m distinct ones -> those [m], or data's shape with m at axis; where each first
    occurs [m]; the position of each of the n among the m [n]; how often each occurs [m]. ``sorted`` puts them
    in ascending order, slices by their first elements that differ; else they have the order of their first occurrences.
    The page does not say what NaN equals. Raises ValueError for an axis outside [-r, r - 1].
    """
    index_dtype = index_type(index_element_type, "Unique-10: index_element_type")
    count_dtype = index_type(count_element_type, "Unique-10: count_element_type")
    if axis is None:
        flat, along = data.reshape(-1), 0
    else:
        flat, name = data, "Unique-10: axis"
        along = normalize_axis(one_number(axis, name), data.ndim, name)
    keys = _keys(flat, along)
    counts = Counter(keys)
    found = list(counts)  # as they first occur
    if sorted:
        found.sort()
    places = {key: place for place, key in enumerate(found)}
    first: dict[tuple[object, ...], int] = {}
    for position, key in enumerate(keys):
        first.setdefault(key, position)
    indices = np.array([first[key] for key in found], index_dtype)
    return (
        flat.take(indices, along),
        indices,
        np.array([places[key] for key in keys], index_dtype),
        np.array([counts[key] for key in found], count_dtype),
    )


def _keys(data: np.ndarray, axis: int) -> list[tuple[object, ...]]:
    """The elements of each slice along ``axis``, as Python values that compare exactly."""
    slices = np.moveaxis(data, axis, 0)
    slices = slices.reshape(len(slices), prod(slices.shape[1:]))
    if slices.dtype.kind == "V":
        # The small types of ml_dtypes; float64 holds all their values.
        slices = slices.astype(np.float64)
    return [tuple(row) for row in slices.tolist()]
