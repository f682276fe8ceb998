"""MaxPool (pages MaxPool-1, MaxPool-8, MaxPool-14 and the shape calculation rules)."""

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded, is_float
from reference.shared.axes import normalize_axis
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.dividing import pooled, pooled_with_indices
from reference.shared.largest import (
    Over,
    any_of_the_largest,
    hold_data,
    hold_nan,
    largest,
    places_of_largest,
)
from reference.shared.windows import AutoPad, Rounding, Windows, pooling_windows


def _over(moving: Windows) -> Over:
    """[N, C, *spatial] -> [N, C, *counts, elements of a window]"""

    def over(image: np.ndarray, fill: Any) -> np.ndarray:
        elements = moving.over(image, fill)
        return elements.reshape(*elements.shape[: 2 + len(moving.counts)], moving.size)

    return over


def _positions(data: np.ndarray, axis: int) -> np.ndarray:
    """The index of each element of data flattened from ``axis`` on."""
    counted = data.shape[normalize_axis(axis, data.ndim, "MaxPool: axis") :]
    return np.broadcast_to(np.arange(prod(counted)).reshape(counted), data.shape)


def _of(call: Call) -> Over:
    return _over(pooling_windows("MaxPool", call.array(0), **call.attributes))


def _hold_nan(call: Call) -> np.ndarray:
    """Windows with a NaN in them: the page does not say how it compares."""
    return hold_nan(call.array(0), _of(call))


def _any_of_the_largest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    positions = _positions(call.array(0), call.attributes.get("axis", 0))
    return any_of_the_largest(call, actual, _of(call), positions)


_UNROUNDED = Rounded(bound=0, quality=0, silent=_hold_nan)


_WITH_INDICES = (_UNROUNDED, Choice(_any_of_the_largest, within=_UNROUNDED))


@implements("MaxPool-1", accuracy=_UNROUNDED, parts=pooled)
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
    over = _over(pooling_windows("MaxPool-1", data, *places))
    if not is_float(data.dtype):
        _require_data("MaxPool-1", data, over)
    return largest(data, over)


@implements("MaxPool-8", accuracy=_WITH_INDICES, parts=pooled_with_indices)
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
    """Like MaxPool-14, with a ``rounding_type`` of ``floor`` or ``ceil``."""
    places = (strides, pads_begin, pads_end, kernel, dilations, rounding_type, auto_pad)
    moving = pooling_windows("MaxPool-8", data, *places)
    return _with_indices("MaxPool-8", data, moving, index_element_type, axis)


@implements("MaxPool-14", accuracy=_WITH_INDICES, parts=pooled_with_indices)
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


def _require_data(name: str, data: np.ndarray, over: Over) -> None:
    """Raises ValueError for a window that holds nothing but padding."""
    if not hold_data(data, over):
        raise ValueError(f"{name}: a window must hold an element of data")


def _with_indices(
    name: str, data: np.ndarray, moving: Windows, index_element_type: IndexType, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    over = _over(moving)
    _require_data(name, data, over)
    indices = places_of_largest(data, over, _positions(data, axis))
    return largest(data, over), indices.astype(INDEX_TYPES[index_element_type])
