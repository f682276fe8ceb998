"""GroupConvolution (page GroupConvolution-1)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import Sum
from reference.convolution.convolution import convolve, meets_padding
from reference.shared.windows import windows


@implements(
    "GroupConvolution-1",
    accuracy=Sum(terms=lambda call: prod(call.reals(1).shape[2:]), silent=meets_padding),
)
def group_convolution(
    data: np.ndarray,
    kernel: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str = "explicit",
) -> np.ndarray:
    """Split the channels into groups, convolve each with its own filters, and join the results.

    data [N, GROUPS * C_IN, *spatial], kernel [GROUPS, C_OUT, C_IN, *window] -> [N, GROUPS * C_OUT, *places]; the
    rest is as in Convolution. Floating-point results are float64. Raises ValueError where shapes or attributes do
    not fit together.
    """
    if data.ndim not in (3, 4, 5):
        raise ValueError(f"GroupConvolution-1: data must have rank 3, 4 or 5, got {data.ndim}")
    if kernel.ndim != data.ndim + 1:
        raise ValueError(
            f"GroupConvolution-1: kernel must have rank {data.ndim + 1}, got {kernel.ndim}"
        )
    groups, _, channels = kernel.shape[:3]
    if data.shape[1] != groups * channels:
        raise ValueError(
            f"GroupConvolution-1: data must have {groups} groups of {channels} channels, "
            f"got {data.shape[1]} channels"
        )
    places = windows(
        "GroupConvolution-1",
        data.shape[2:],
        kernel.shape[3:],
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
    )
    split = data.reshape(data.shape[0], groups, channels, *data.shape[2:])
    convolved = [convolve(split[:, group], kernel[group], places) for group in range(groups)]
    return np.concatenate(convolved, axis=1)
