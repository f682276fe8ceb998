"""TopK (page TopK-11)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded, is_float
from reference.shared.axes import normalize_axis, require_rank
from reference.shared.checks import index_type, require_one_of


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """The elements that a device chose, in each slice where the page admits that choice.

    Among equal elements any may be actual_indices, in any order, unless ``stable``; the order of all is free where
    ``sort`` is none.
    """
    (data, _), attributes = call.inputs, call.attributes
    values, indices = call.outputs
    sort, actual_indices = attributes["sort"], actual[1]
    assert data is not None
    if (
        attributes.get("stable", False) and sort != "none"
    ) or actual_indices.shape != indices.shape:
        return call.outputs
    axis = attributes["axis"]
    size = data.shape[axis]
    places = np.clip(actual_indices, 0, max(size - 1, 0)).astype(np.int64)
    actual_values = np.take_along_axis(data, places, axis)
    distinct = np.diff(np.sort(places, axis), axis=axis).all(axis, keepdims=True)
    admissible = distinct & (places == actual_indices).all(axis, keepdims=True)
    if sort == "value":
        same = _keys(actual_values) == _keys(values)
    else:
        same = np.sort(_keys(actual_values), axis) == np.sort(_keys(values), axis)
    admissible &= same.all(axis, keepdims=True)
    if sort == "index":
        admissible &= (np.diff(places, axis=axis) > 0).all(axis, keepdims=True)
    return np.where(admissible, actual_values, values), np.where(
        admissible, actual_indices, indices
    )


def _with_nan(call: Call) -> np.ndarray:
    """Slices with a NaN: the page does not define its order."""
    data = call.inputs[0]
    assert data is not None
    if not is_float(data.dtype):
        return np.zeros((), bool)
    return np.isnan(data).any(call.attributes["axis"], keepdims=True)


# Chosen values are numbers of the type; a device may flush them.
_UNROUNDED = Rounded(gate=0, quality=0, silent=_with_nan)


@implements("TopK-11", accuracy=Choice(_nearest, within=_UNROUNDED))
def top_k(
    data: np.ndarray,
    k: np.ndarray,
    *,
    axis: int,
    mode: str,
    sort: str,
    stable: bool = False,
    index_element_type: str = "i32",
) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` largest (``mode`` max) or smallest (min) elements of each slice along ``axis``, and their positions.

    data [..., D, ...] -> values and indices [..., k, ...]. ``sort``: by value, descending for max and ascending for
    min; by index, ascending; or none, any order, here that by value. Of equal elements the first are actual_indices,
    and come first, as ``stable`` demands. Raises ValueError for an axis that data lacks and for k outside [1, D].
    """
    axis = normalize_axis(axis, data.ndim, "TopK-11: axis")
    require_rank(k, (0,), "TopK-11: k")
    size, count = data.shape[axis], int(k)
    if not 1 <= count <= size:
        raise ValueError(f"TopK-11: k must be from 1 to {size}, got {count}")
    require_one_of(mode, ("min", "max"), "TopK-11: mode")
    require_one_of(sort, ("value", "index", "none"), "TopK-11: sort")
    index_dtype = index_type(index_element_type, "TopK-11: index_element_type")
    order = _ascending(data, axis) if mode == "min" else _descending(data, axis)
    indices = np.take(order, range(count), axis)
    if sort == "index":
        indices = np.sort(indices, axis)
    return np.take_along_axis(data, indices, axis), indices.astype(index_dtype)


def _ascending(data: np.ndarray, axis: int) -> np.ndarray:
    """The positions of the elements from the smallest to the largest, equal ones in their order."""
    return np.argsort(_keys(data), axis, kind="stable")


def _descending(data: np.ndarray, axis: int) -> np.ndarray:
    """The positions from the largest to the smallest, equal ones in their order: negated, not all types are ordered."""
    backwards = _ascending(np.flip(data, axis), axis)
    return data.shape[axis] - 1 - np.flip(backwards, axis)


def _keys(data: np.ndarray) -> np.ndarray:
    """What NumPy sorts in the order of ``data``; the types of ml_dtypes fit in float64."""
    return data.astype(np.float64) if data.dtype.kind == "V" else data
