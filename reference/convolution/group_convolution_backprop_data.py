"""GroupConvolutionBackpropData (page GroupConvolutionBackpropData-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.convolving import TRANSPOSED, transpose_groups
from reference.shared.dividing import transposed_filters
from reference.shared.windows import AutoPad, require_image


@implements(
    "GroupConvolutionBackpropData-1",
    accuracy=TRANSPOSED,
    products=((0, 1),),
    parts=transposed_filters,
)
def group_convolution_backprop_data(
    data: np.ndarray,
    kernel: np.ndarray,
    output_shape: np.ndarray | None = None,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: AutoPad = "explicit",
    output_padding: Sequence[int] | None = None,
) -> np.ndarray:
    """Split the channels into groups, transpose the convolution of each, and concatenate the results.

    data [N, GROUPS * C_IN, *spatial], kernel [GROUPS, C_IN, C_OUT, *window] -> [N, GROUPS * C_OUT, *sizes]; the rest is
    as in ConvolutionBackpropData. Floating-point results are float64. Raises ValueError where shapes or attributes do
    not fit together.
    """
    name = "GroupConvolutionBackpropData-1"
    require_image(name, data)
    if kernel.ndim != data.ndim + 1 or data.shape[1] != kernel.shape[0] * kernel.shape[1]:
        shapes = f"{list(kernel.shape)} for {list(data.shape)}"
        raise ValueError(
            f"{name}: kernel must have one more dimension than data, and its channels, got {shapes}"
        )
    rest = (strides, pads_begin, pads_end, dilations, auto_pad, output_padding)
    return transpose_groups(name, data, kernel, output_shape, *rest)
