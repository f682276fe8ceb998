"""Dot products of moving windows with filters, group by group, and their transposes: what convolutions share."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from reference.accuracy import Call, Sum, is_float
from reference.shared.padding import pad, window_size
from reference.shared.windows import Windows, windows

# Elements of windows that are copied at once.
_ELEMENTS = 2**22


def convolve_groups(
    name: str,
    data: np.ndarray,
    kernel: np.ndarray,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str,
) -> np.ndarray:
    """data [N, GROUPS * C_IN, *spatial], kernel [GROUPS, C_OUT, C_IN, *window] -> [N, GROUPS * C_OUT, *counts].

    Floating-point numbers are computed in float64, integers wrap, padding is zero. Raises ValueError, in the ``name``
    of the operation, for attributes that do not fit.
    """
    groups, _, channels = kernel.shape[:3]
    moving = windows(
        name,
        data.shape[2:],
        kernel.shape[3:],
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
    )
    if is_float(data.dtype):
        data, kernel = data.astype(np.float64), kernel.astype(np.float64)
    if (
        groups > 1
        and is_float(data.dtype)
        and np.isfinite(data).all()
        and np.isfinite(kernel).all()
    ):
        return _convolve_at_once(data, kernel, moving)
    images = data.reshape(len(data), groups, channels, *data.shape[2:])
    convolved = [convolve(images[:, group], kernel[group], moving) for group in range(groups)]
    return np.concatenate(convolved, axis=1)


def _convolve_at_once(data: np.ndarray, kernel: np.ndarray, moving: Windows) -> np.ndarray:
    """What ``convolve_groups`` gives, for finite numbers: all groups together, one element of the window at a time."""
    groups, outputs, channels = kernel.shape[:3]
    parts = moving.over(data)
    summed = np.zeros((len(data), groups, outputs, prod(moving.counts)))
    for element in np.ndindex(kernel.shape[3:]):
        place = (..., *element)
        part = parts[place].reshape(len(data), groups, channels, prod(moving.counts))
        weights = kernel[place]
        summed += weights * part if channels == 1 else weights @ part
    return summed.reshape(len(data), groups * outputs, *moving.counts)


def convolve(image: np.ndarray, kernel: np.ndarray, moving: Windows, fill: float = 0) -> np.ndarray:
    """image [N, C_IN, *spatial], kernel [C_OUT, C_IN, *window] -> [N, C_OUT, *counts]; ``fill`` is the padding."""
    spatial = len(moving.counts)
    elements = [1, *range(2 + spatial, 2 + 2 * spatial)]
    parts = moving.over(image, fill)
    # The windows are copied one beside the other, which takes as many times the image as a window has elements.
    places = parts.size // max(moving.counts[0], 1)
    rows = max(_ELEMENTS // max(places, 1), 1)
    summed = [
        dot(parts[:, :, row : row + rows], kernel, elements, [1, *range(2, 2 + spatial)])
        for row in range(0, max(moving.counts[0], 1), rows)
    ]
    whole = summed[0] if len(summed) == 1 else np.concatenate(summed, axis=1)
    return np.moveaxis(whole, -1, 1)


def dot(
    one: np.ndarray,
    other: np.ndarray,
    axes: Sequence[int],
    other_axes: Sequence[int],
    into: np.ndarray | None = None,
) -> np.ndarray:
    """Sums of products along axes of one array and the other, in which 0 times infinity is NaN.

    np.tensordot is faster, but may leave out products with a factor of 0. Products of two matrices may be written
    ``into`` an array.
    """
    if not is_float(one.dtype) or (np.isfinite(one).all() and np.isfinite(other).all()):
        if into is not None:
            return np.matmul(one, other, out=into)
        return np.tensordot(one, other, (axes, other_axes))
    labels, other_labels = list(range(one.ndim)), list(range(one.ndim, one.ndim + other.ndim))
    for axis, other_axis in zip(axes, other_axes, strict=True):
        other_labels[other_axis] = labels[axis]
    summed = {labels[axis] for axis in axes}
    left = [label for label in (*labels, *other_labels) if label not in summed]
    found: np.ndarray = np.einsum(one, labels, other, other_labels, left)
    return found


def _products(call: Call) -> int:
    """The number of products that are added for one output: input channels times the window."""
    data, kernel = call.reals(0), call.reals(1)
    return prod(kernel.shape[1 - data.ndim :])


def _meets_padding(call: Call) -> np.ndarray:
    """Outputs for which an infinite or NaN weight lies in the padding.

    The page does not say whether the zeros of the padding are multiplied at all.
    """
    data, kernel = call.array(0), call.array(1)
    if not is_float(kernel.dtype) or np.isfinite(kernel).all():
        return np.zeros((), bool)
    weights = (~np.isfinite(kernel)).astype(np.float64)
    counted = call.function(np.ones(data.shape), weights, **call.attributes)
    # The filter of each output channel, whether the kernel has a dimension of groups or not.
    filters = weights.reshape(counted.shape[1], -1).sum(axis=1)
    return counted < filters.reshape(-1, *[1] * (data.ndim - 2))


CONVOLVED = Sum(terms=_products, silent=_meets_padding)


# --- transposed ---------------------------------------------------------------------------------------------------


def _placed(
    name: str,
    whole: Sequence[int],
    more: Sequence[int],
    output_shape: np.ndarray | None,
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    auto_pad: str,
) -> tuple[list[int], list[int]]:
    """Where the output begins in all filters together, and its sizes."""
    if output_shape is not None:
        totals = np.add(whole, more) - output_shape.astype(np.int64)
        halves = totals // 2
        begin = (totals - halves if auto_pad == "same_upper" else halves).tolist()
        return begin, output_shape.tolist()
    end = pads_end if auto_pad == "explicit" else [0] * len(whole)
    begin = list(pads_begin) if auto_pad == "explicit" else [0] * len(whole)
    sizes = (np.add(whole, more) - begin - end).tolist()
    if min(sizes) < 0:
        raise ValueError(f"{name}: the padding must leave an output, got sizes {sizes}")
    return begin, sizes


def transpose_groups(
    name: str,
    data: np.ndarray,
    kernel: np.ndarray,
    output_shape: np.ndarray | None,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str,
    output_padding: Sequence[int] | None,
) -> np.ndarray:
    """data [N, GROUPS * C_IN, *spatial], kernel [GROUPS, C_IN, C_OUT, *window] -> [N, GROUPS * C_OUT, *sizes].

    Each element of data adds its multiple of the filter to the output, ``strides`` apart. ``sizes`` are
    ``output_shape``, or follow from the padding, which takes elements away at both ends; ``output_padding`` adds some
    at the end. Where no filter reaches the output is 0. Floating-point numbers are computed in float64, integers wrap.
    Raises ValueError, in the ``name`` of the operation, for attributes that do not fit.
    """
    rank = data.ndim - 2
    more = [0] * rank if output_padding is None else output_padding
    for what, given, least in (
        ("strides", strides, 1),
        ("pads_begin", pads_begin, 0),
        ("pads_end", pads_end, 0),
        ("dilations", dilations, 1),
        ("output_padding", more, 0),
        *([("output_shape", output_shape.tolist(), 0)] if output_shape is not None else []),
    ):
        if len(given) != rank:
            raise ValueError(f"{name}: {what} must have {rank} values, got {list(given)}")
        if min(given, default=least) < least:
            raise ValueError(f"{name}: {what} must be {least} or more, got {list(given)}")
    # As long as all filters together.
    whole = [
        stride * (size - 1) + window_size(window, dilation)
        for stride, size, window, dilation in zip(
            strides, data.shape[2:], kernel.shape[3:], dilations, strict=True
        )
    ]
    begin, sizes = _placed(name, whole, more, output_shape, pads_begin, pads_end, auto_pad)
    if is_float(data.dtype):
        data, kernel = data.astype(np.float64), kernel.astype(np.float64)
    groups, channels = kernel.shape[:2]
    images = data.reshape(len(data), groups, channels, *data.shape[2:])
    spread = [_spread(images[:, g], kernel[g], whole, strides, dilations) for g in range(groups)]
    image = np.concatenate(spread, axis=1)
    ends = [
        size + first - length
        for size, first, length in zip(sizes, begin, image.shape[2:], strict=True)
    ]
    return pad(image, [0, 0, *(-first for first in begin)], [0, 0, *ends])


def _spread(
    image: np.ndarray,
    kernel: np.ndarray,
    whole: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> np.ndarray:
    """image [N, C_IN, *spatial], kernel [C_IN, C_OUT, *window] -> [N, C_OUT, *whole]."""
    # Without any data, strides may make the whole less than nothing.
    shape = (len(image), kernel.shape[1], *(max(length, 0) for length in whole))
    summed = np.zeros(shape, image.dtype)
    if not image.size:
        return summed
    both = (slice(None), slice(None))
    for element in np.ndindex(kernel.shape[2:]):
        starts = [at * dilation for at, dilation in zip(element, dilations, strict=True)]
        places = [
            slice(start, start + (size - 1) * stride + 1, stride)
            for start, size, stride in zip(starts, image.shape[2:], strides, strict=True)
        ]
        weights, reached = (*both, *element), (*both, *places)
        products = dot(image, kernel[weights], [1], [0])
        summed[reached] += np.moveaxis(products, -1, 1)
    return summed


def _transposed_terms(call: Call) -> np.ndarray:
    """How many products are added for each output."""
    return _transposed_count(call, np.ones(call.array(1).shape))


def _transposed_count(call: Call, kernel: np.ndarray) -> np.ndarray:
    counted: np.ndarray = call.function(
        np.ones(call.array(0).shape), kernel, *call.inputs[2:], **call.attributes
    )
    return counted


def _meets_gaps(call: Call) -> np.ndarray:
    """Outputs for which an infinite or NaN weight lies on no element of data.

    Between the elements of data, and around them, a device may multiply zeros: the page does not say.
    """
    data, kernel = call.array(0), call.array(1)
    if not is_float(kernel.dtype) or np.isfinite(kernel).all():
        return np.zeros((), bool)
    weights = (~np.isfinite(kernel)).astype(np.float64)
    # The filter of each output channel, whether the kernel has a dimension of groups or not.
    axes = tuple(axis for axis in range(-data.ndim, 0) if axis != 1 - data.ndim)
    filters = weights.sum(axis=axes).reshape(-1, *[1] * (data.ndim - 2))
    return _transposed_count(call, weights) < filters


TRANSPOSED = Sum(terms=_transposed_terms, silent=_meets_gaps, operands=2)
