"""MaxPool (pages MaxPool-1, MaxPool-8, MaxPool-14 and the shape calculation rules)."""

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded, integer_range, is_float
from reference.shared.axes import normalize_axis
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.windows import AutoPad, Rounding, Windows, pooling_windows


def _flat(elements: np.ndarray, moving: Windows) -> np.ndarray:
    """[N, C, *counts, *kernel] -> [N, C, *counts, elements of a window]."""
    return elements.reshape(*elements.shape[: 2 + len(moving.counts)], moving.size)


def _elements(data: np.ndarray, moving: Windows) -> np.ndarray:
    """The elements of each window, -infinity (for integers the least number) in the padding."""
    if is_float(data.dtype):
        return _flat(moving.over(data.astype(np.float64), -np.inf), moving)
    return _flat(moving.over(data, integer_range(data.dtype)[0]), moving)


def _inside(data: np.ndarray, moving: Windows) -> np.ndarray:
    """Which elements of each window are data, not padding."""
    return _flat(moving.over(np.ones(data.shape, bool), False), moving)


def _positions(data: np.ndarray, moving: Windows, axis: int) -> np.ndarray:
    """The index of each element of each window, in data flattened from ``axis`` on."""
    counted = data.shape[normalize_axis(axis, data.ndim, "MaxPool: axis") :]
    positions = np.arange(prod(counted)).reshape(counted)
    return _flat(moving.over(np.broadcast_to(positions, data.shape)), moving)


def _of(call: Call) -> tuple[np.ndarray, Windows]:
    return call.array(0), pooling_windows("MaxPool", call.array(0), **call.attributes)


def _holds_nan(call: Call) -> np.ndarray:
    """Windows with a NaN in them: the page does not say how it compares."""
    data, moving = _of(call)
    if not is_float(data.dtype):
        return np.zeros((), bool)
    return np.isnan(_elements(data, moving)).any(axis=-1)


def _any_of_the_largest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Where several elements of a window are the largest, the index of any of them is admissible."""
    values, indices = call.outputs
    if len(actual) < 2 or actual[1].shape != indices.shape:
        return call.outputs
    data, moving = _of(call)
    largest = (_elements(data, moving) == values[..., None]) & _inside(data, moving)
    positions = _positions(data, moving, call.attributes.get("axis", 0))
    is_one = (largest & (positions == actual[1][..., None])).any(axis=-1)
    return values, np.where(is_one, actual[1], indices).astype(indices.dtype)


_UNROUNDED = Rounded(gate=0, quality=0, silent=_holds_nan)


_WITH_INDICES = (_UNROUNDED, Choice(_any_of_the_largest, within=_UNROUNDED))


@implements("MaxPool-1", accuracy=_UNROUNDED)
def max_pool_1(
    data: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    rounding_type: Literal["floor", "ceil"] = "floor",
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """The values of MaxPool-8 without dilations; -infinity of floating-point numbers in a window without data."""
    places = (strides, pads_begin, pads_end, kernel, None, rounding_type, auto_pad)
    moving = pooling_windows("MaxPool-1", data, *places)
    if not is_float(data.dtype):
        _require_data("MaxPool-1", data, moving)
    return _values(data, moving)


@implements("MaxPool-8", accuracy=_WITH_INDICES)
def max_pool_8(
    data: np.ndarray,
    *,
    strides: Sequence[int],
    dilations: Sequence[int] | None = None,
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    rounding_type: Literal["floor", "ceil"] = "floor",
    auto_pad: AutoPad = "explicit",
    index_element_type: IndexType = "i64",
    axis: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """As MaxPool-14, with a ``rounding_type`` of ``floor`` or ``ceil``."""
    places = (strides, pads_begin, pads_end, kernel, dilations, rounding_type, auto_pad)
    moving = pooling_windows("MaxPool-8", data, *places)
    return _with_indices("MaxPool-8", data, moving, index_element_type, axis)


@implements("MaxPool-14", accuracy=_WITH_INDICES)
def max_pool(
    data: np.ndarray,
    *,
    strides: Sequence[int],
    dilations: Sequence[int] | None = None,
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    rounding_type: Rounding = "floor",
    auto_pad: AutoPad = "explicit",
    index_element_type: IndexType = "i64",
    axis: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """The largest element of each window, and where it is: here the first one of equals, in the order of the data.

    data [N, C, *spatial] -> [N, C, *counts] twice. Windows of ``kernel`` elements, ``dilations`` apart (1 by default),
    lie ``strides`` apart on data padded by ``pads_begin`` and ``pads_end``, or as ``auto_pad`` says; padding is never
    the largest. Indices count the elements of data flattened from ``axis`` on.

    Of ``auto_pad="valid"`` the shape rules give a formula without ``rounding_type``, and a sentence and an example in
    which it counts; they win here. For ``same_upper`` and ``same_lower`` they speak of an output as large as the input,
    which only a stride of 1 gives: with larger ones there are ceil(size / stride) windows. Raises ValueError for
    attributes that do not fit, or a window without data.
    """
    places = (strides, pads_begin, pads_end, kernel, dilations, rounding_type, auto_pad)
    moving = pooling_windows("MaxPool-14", data, *places)
    return _with_indices("MaxPool-14", data, moving, index_element_type, axis)


def _require_data(name: str, data: np.ndarray, moving: Windows) -> None:
    """Raises ValueError for a window that holds nothing but padding."""
    if not _inside(data, moving).any(axis=-1).all():
        raise ValueError(f"{name}: a window must hold an element of data")


def _values(data: np.ndarray, moving: Windows) -> np.ndarray:
    values: np.ndarray = _elements(data, moving).max(axis=-1)
    return values if is_float(data.dtype) else values.astype(data.dtype)


def _with_indices(
    name: str, data: np.ndarray, moving: Windows, index_element_type: IndexType, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    _require_data(name, data, moving)
    values, elements, inside = _values(data, moving), _elements(data, moving), _inside(data, moving)
    first = np.argmax((elements == values[..., None]) & inside, axis=-1, keepdims=True)
    indices = np.take_along_axis(_positions(data, moving, axis), first, axis=-1)[..., 0]
    return values, indices.astype(INDEX_TYPES[index_element_type])
