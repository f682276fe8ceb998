"""Dot products of moving windows with filters, group by group: what convolutions share."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from reference.accuracy import Call, Sum, is_float
from reference.shared.windows import Windows, windows


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
    images = data.reshape(len(data), groups, channels, *data.shape[2:])
    convolved = [_convolve(images[:, group], kernel[group], moving) for group in range(groups)]
    return np.concatenate(convolved, axis=1)


def _convolve(image: np.ndarray, kernel: np.ndarray, moving: Windows) -> np.ndarray:
    spatial = len(moving.counts)
    elements = [1, *range(2 + spatial, 2 + 2 * spatial)]
    summed = np.tensordot(moving.over(image), kernel, (elements, [1, *range(2, 2 + spatial)]))
    return np.moveaxis(summed, -1, 1)


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
