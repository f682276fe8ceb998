"""TopK (page TopK-11)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded, is_float
from reference.shared.axes import normalize_axis, require_rank
from reference.shared.checks import INDEX_TYPES, IndexType


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """The elements that a device chose, in each slice where the page admits that choice.

    Among equal elements any may be actual_indices, in any order, unless ``stable``; the order of all is free where
    ``sort`` is none.
    """
    data, (values, indices), axis = call.array(0), call.outputs, call.attributes["axis"]
    sort, given = call.attributes["sort"], actual[1]
    is_fixed = call.attributes.get("stable", False) and sort != "none"
    if is_fixed or given.shape != indices.shape:
        return call.outputs
    places = np.clip(given, 0, max(data.shape[axis] - 1, 0)).astype(np.int64)
    chosen = np.take_along_axis(data, places, axis)
    keys = _keys(chosen), _keys(values)
    one, other = keys if sort == "value" else (np.sort(each, axis) for each in keys)
    is_distinct = np.diff(np.sort(places, axis), axis=axis).all(axis, keepdims=True)
    admissible = is_distinct & ((places == given) & (one == other)).all(axis, keepdims=True)
    if sort == "index":
        admissible &= (np.diff(places, axis=axis) > 0).all(axis, keepdims=True)
    return np.where(admissible, chosen, values), np.where(admissible, given, indices)


def _with_nan(call: Call) -> np.ndarray:
    """Slices with a NaN: the page leaves its order to the implementation.

    Read as: in such a slice any choice and any order are right, of the other elements as well, because the page does
    not even say that NaN has one place in the order.
    """
    data = call.array(0)
    if not is_float(data.dtype):
        return np.zeros((), bool)
    return np.isnan(data).any(call.attributes["axis"], keepdims=True)


# Chosen values are numbers of the type; a device may flush them.
_CHOSEN = Choice(_nearest, within=Rounded(bound=0, quality=0, silent=_with_nan))
Mode = Literal["min", "max"]
Sort = Literal["value", "index", "none"]


@implements("TopK-11", accuracy=_CHOSEN)
def top_k(
    data: np.ndarray,
    k: np.ndarray,
    *,
    axis: int,
    mode: Mode,
    sort: Sort,
    stable: bool = False,
    index_element_type: IndexType = "i32",
) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` largest (``mode`` max) or smallest (min) elements of each slice along ``axis``, and their positions.

    data [..., D, ...] -> values and indices [..., k, ...]. ``sort``: by value, descending for max and ascending for
    min; by index, ascending; or none, any order, here that by value. Of equal elements the first are chosen,
    and come first, as ``stable`` demands. Raises ValueError for an axis that data lacks and for k outside [1, D].
    """
    return _chosen("TopK-11", data, k, axis, mode, sort, index_element_type)


@implements("TopK-1", "TopK-3", accuracy=_CHOSEN)
def top_k_without_stable(
    data: np.ndarray,
    k: np.ndarray,
    *,
    axis: int,
    mode: Mode,
    sort: Sort,
    index_element_type: IndexType = "i32",
) -> tuple[np.ndarray, np.ndarray]:
    """Like TopK-11, whose ``stable`` came later."""
    return _chosen("TopK-3", data, k, axis, mode, sort, index_element_type)


def _chosen(
    name: str,
    data: np.ndarray,
    k: np.ndarray,
    axis: int,
    mode: str,
    sort: str,
    index_element_type: str,
) -> tuple[np.ndarray, np.ndarray]:
    axis = normalize_axis(axis, data.ndim, f"{name}: axis")
    require_rank(k, (0,), f"{name}: k")
    size, count = data.shape[axis], int(k)
    if not 1 <= count <= size:
        raise ValueError(f"{name}: k must be from 1 to {size}, got {count}")
    if mode == "min":
        order = np.argsort(_keys(data), axis, kind="stable")
    else:
        # Backwards, so that the first of equal elements comes first: not all types can be negated.
        backwards = np.argsort(np.flip(_keys(data), axis), axis, kind="stable")
        order = size - 1 - np.flip(backwards, axis)
    indices = order.take(range(count), axis)
    if sort == "index":
        indices = np.sort(indices, axis)
    values = np.take_along_axis(data, indices, axis)
    return values, indices.astype(INDEX_TYPES[index_element_type])


def _keys(data: np.ndarray) -> np.ndarray:
    """What NumPy sorts in the order of ``data``; the types of ml_dtypes fit in float64."""
    return data.astype(np.float64) if data.dtype.kind == "V" else data
