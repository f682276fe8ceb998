"""AvgPool (pages AvgPool-1, AvgPool-14, AvgPool-16 and the shape calculation rules)."""

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum, is_float
from reference.shared.dividing import pooled
from reference.shared.windows import AutoPad, Rounding, Windows, pooling_windows


def _sums(elements: np.ndarray, moving: Windows) -> np.ndarray:
    """[N, C, *counts, *kernel] -> [N, C, *counts]"""
    return elements.sum(axis=tuple(range(2 + len(moving.counts), elements.ndim)))


def _size(call: Call) -> int:
    return prod(call.attributes["kernel"])


def _reaches_beyond(call: Call) -> np.ndarray:
    """Windows that reach beyond the padding, where an average includes padding.

    The page does not say whether what is beyond counts.
    """
    if call.attributes["exclude_pad"]:
        return np.zeros((), bool)
    data = call.reals(0)
    moving = pooling_windows("AvgPool", data, **call.attributes)
    reached = _sums(moving.over(np.ones(data.shape), fill=1, outside=0), moving)
    return reached < moving.size


# The page does not define how quotients of integers are rounded: any neighbour is admissible.
_AVERAGES = Sum(terms=_size, extra=1, partial=_size, levels=1, silent=_reaches_beyond)


@implements("AvgPool-1", accuracy=_AVERAGES, parts=pooled)
def avg_pool_1(
    data: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    exclude_pad: bool,
    rounding_type: Literal["floor", "ceil"] = "floor",
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """Like AvgPool-14, with a ``rounding_type`` of ``floor`` or ``ceil``."""
    places = (strides, pads_begin, pads_end, kernel, None, rounding_type, auto_pad)
    return _averages(data, pooling_windows("AvgPool-1", data, *places), exclude_pad)


@implements("AvgPool-14", accuracy=_AVERAGES, parts=pooled)
def avg_pool(
    data: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    exclude_pad: bool,
    rounding_type: Rounding = "floor",
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """The average of each window.

    data [N, C, *spatial] -> [N, C, *counts]. Windows of ``kernel`` elements lie ``strides`` apart on data padded with
    zeros by ``pads_begin`` and ``pads_end``, or as ``auto_pad`` says. ``exclude_pad`` divides the sum by the number of
    elements that are data, else it is divided by the size of the window. Floating-point results are float64; integers
    are rounded to the nearest, halves up. What the shape rules leave open is read as in MaxPool. Raises ValueError for
    attributes that do not fit, or a window without data where padding is excluded.
    """
    places = (strides, pads_begin, pads_end, kernel, None, rounding_type, auto_pad)
    return _averages(data, pooling_windows("AvgPool-14", data, *places), exclude_pad)


@implements("AvgPool-16", accuracy=_AVERAGES, parts=pooled)
def avg_pool_16(
    data: np.ndarray,
    *,
    strides: Sequence[int],
    dilations: Sequence[int] | None = None,
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    kernel: Sequence[int],
    exclude_pad: bool,
    rounding_type: Rounding = "floor",
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """Like AvgPool-14; the elements of a window are ``dilations`` apart (1 by default)."""
    places = (strides, pads_begin, pads_end, kernel, dilations, rounding_type, auto_pad)
    return _averages(data, pooling_windows("AvgPool-16", data, *places), exclude_pad)


def _averages(data: np.ndarray, moving: Windows, exclude_pad: bool) -> np.ndarray:
    count = np.full(moving.counts, moving.size)
    if exclude_pad:
        count = _sums(moving.over(np.ones((1, 1, *data.shape[2:]), np.int64)), moving)[0, 0]
        if not count.all():
            raise ValueError("AvgPool: a window must hold an element of data")
    if is_float(data.dtype):
        return _sums(moving.over(data.astype(np.float64)), moving) / count
    # Python's integers: 64-bit ones would overflow.
    total = _sums(moving.over(data.astype(object)), moving)
    return ((2 * total + count) // (2 * count)).astype(data.dtype)
