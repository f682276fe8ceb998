"""Unique (page Unique-10)."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, one_number

_TYPES = {"i64": np.int64, "i32": np.int32}

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
    """The different elements of ``data``, or, with ``axis`` (a scalar or [1]), its different slices.

    n elements or slices, m different ones -> those [m], or data's shape with m at axis; where each first
    occurs [m]; the place of each of the n among the m [n]; how often each occurs [m]. ``sorted`` puts them
    in ascending order, slices by their first elements that differ; else they come as they first occur.
    The page does not say what NaN equals. Raises ValueError for an axis outside [-r, r - 1].
    """
    for name, given in (("index", index_element_type), ("count", count_element_type)):
        if given not in _TYPES:
            raise ValueError(f"Unique-10: {name}_element_type must be i64 or i32, got {given!r}")
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
    indices = np.array([first[key] for key in found], _TYPES[index_element_type])
    return (
        flat.take(indices, along),
        indices,
        np.array([places[key] for key in keys], _TYPES[index_element_type]),
        np.array([counts[key] for key in found], _TYPES[count_element_type]),
    )


def _keys(data: np.ndarray, axis: int) -> list[tuple[object, ...]]:
    """The elements of each slice along ``axis``, as Python values that compare exactly."""
    slices = np.moveaxis(data, axis, 0)
    slices = slices.reshape(len(slices), prod(slices.shape[1:]))
    if slices.dtype.kind == "V":
        # The small types of ml_dtypes; float64 holds all their values.
        slices = slices.astype(np.float64)
    return [tuple(row) for row in slices.tolist()]
