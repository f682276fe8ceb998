"""GroupConvolution (page GroupConvolution-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.convolving import CONVOLVED, convolve_groups
from reference.shared.dividing import convolved
from reference.shared.windows import AutoPad, require_image


@implements("GroupConvolution-1", accuracy=CONVOLVED, products=((0, 1),), parts=convolved)
def group_convolution(
    data: np.ndarray,
    kernel: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """Split the channels into groups, convolve each with its own filters, and concatenate the results.

    data [N, GROUPS * C_IN, *spatial], kernel [GROUPS, C_OUT, C_IN, *window] -> [N, GROUPS * C_OUT, *counts]; the
    rest is as in Convolution. Floating-point results are float64. Raises ValueError where shapes or attributes do
    not fit together.
    """
    require_image("GroupConvolution-1", data)
    if kernel.ndim != data.ndim + 1 or data.shape[1] != kernel.shape[0] * kernel.shape[2]:
        shapes = f"{list(kernel.shape)} for {list(data.shape)}"
        raise ValueError(
            f"GroupConvolution-1: kernel must have one more dimension than data, and its channels, got {shapes}"
        )
    return convolve_groups(
        "GroupConvolution-1", data, kernel, strides, pads_begin, pads_end, dilations, auto_pad
    )
