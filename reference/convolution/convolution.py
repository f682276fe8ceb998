"""Convolution (page Convolution-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.convolving import CONVOLVED, convolve_groups
from reference.shared.dividing import convolved
from reference.shared.windows import AutoPad, require_image


@implements("Convolution-1", accuracy=CONVOLVED, products=((0, 1),), parts=convolved)
def convolution(
    data: np.ndarray,
    kernel: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """Cross-correlate images with filters.

    data [N, C_IN, *spatial], kernel [C_OUT, C_IN, *window] -> [N, C_OUT, *counts], with one, two or three spatial
    axes. Each filter is applied at every position of its window; positions are ``strides`` apart, elements
    ``dilations``; the image is padded with zeros by ``pads_begin`` and ``pads_end``, or as ``auto_pad`` says. With a
    stride ``same_upper`` and ``same_lower`` give ceil(size / stride) positions. Floating-point results are float64.
    Raises ValueError where shapes or attributes do not fit together.
    """
    require_image("Convolution-1", data)
    if kernel.ndim != data.ndim or kernel.shape[1] != data.shape[1]:
        wanted = f"rank {data.ndim} and {data.shape[1]} input channels"
        raise ValueError(f"Convolution-1: kernel must have {wanted}, got {list(kernel.shape)}")
    return convolve_groups(
        "Convolution-1",
        data,
        kernel[np.newaxis],
        strides,
        pads_begin,
        pads_end,
        dilations,
        auto_pad,
    )
