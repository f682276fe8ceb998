"""Convolution (page Convolution-1)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum, is_float
from reference.shared.windows import Windows, windows


def convolve(image: np.ndarray, kernel: np.ndarray, places: Windows) -> np.ndarray:
    """Dot products of each window with each filter, floating-point numbers in float64, integers wrapping.

    image [N, C_IN, *sizes], kernel [C_OUT, C_IN, *size of a window] -> [N, C_OUT, *counts]; padding is zero.
    """
    if is_float(image.dtype):
        image, kernel = image.astype(np.float64), kernel.astype(np.float64)
    spatial = len(places.counts)
    elements = [1, *range(2 + spatial, 2 + 2 * spatial)]
    summed = np.tensordot(places.over(image), kernel, (elements, [1, *range(2, 2 + spatial)]))
    return np.moveaxis(summed, -1, 1)


def meets_padding(call: Call) -> np.ndarray:
    """Outputs for which an infinite or NaN weight lies in the padding.

    Whether the zeros of the padding are multiplied at all the page does not say.
    """
    data, kernel = call.inputs[0], call.inputs[1]
    assert data is not None
    assert kernel is not None
    if not is_float(kernel.dtype) or np.isfinite(kernel).all():
        return np.zeros((), bool)
    weights = (~np.isfinite(kernel)).astype(np.float64)
    counted = call.function(np.ones(data.shape), weights, **call.attributes)
    # The filter of each output channel, whether the kernel has a dimension of groups or not.
    filters = weights.reshape(counted.shape[1], -1).sum(axis=1)
    return counted < filters.reshape(-1, *[1] * (data.ndim - 2))


@implements(
    "Convolution-1",
    accuracy=Sum(terms=lambda call: prod(call.reals(1).shape[1:]), silent=meets_padding),
)
def convolution(
    data: np.ndarray,
    kernel: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str = "explicit",
) -> np.ndarray:
    """Cross-correlate images with filters.

    data [N, C_IN, *spatial], kernel [C_OUT, C_IN, *window] -> [N, C_OUT, *places], with one, two or three spatial
    axes. Each filter is laid on every place of its window, which are ``strides`` apart, with ``dilations`` between its
    elements; the image is padded with zeros by ``pads_begin`` and ``pads_end``, or as ``auto_pad`` says. With a stride
    ``same_upper`` and ``same_lower`` give as many places as fit side by side into the image: ceil(size / stride).
    Floating-point results are float64. Raises ValueError where shapes or attributes do not fit together.
    """
    if data.ndim not in (3, 4, 5):
        raise ValueError(f"Convolution-1: data must have rank 3, 4 or 5, got {data.ndim}")
    if kernel.ndim != data.ndim:
        raise ValueError(f"Convolution-1: kernel must have rank {data.ndim}, got {kernel.ndim}")
    if kernel.shape[1] != data.shape[1]:
        raise ValueError(
            f"Convolution-1: kernel must have {data.shape[1]} input channels, got {kernel.shape[1]}"
        )
    places = windows(
        "Convolution-1",
        data.shape[2:],
        kernel.shape[2:],
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
    )
    return convolve(data, kernel, places)
