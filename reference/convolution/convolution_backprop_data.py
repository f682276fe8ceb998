"""ConvolutionBackpropData (page ConvolutionBackpropData-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.convolving import TRANSPOSED, transpose_groups
from reference.shared.dividing import transposed_filters
from reference.shared.windows import AutoPad, require_image


@implements(
    "ConvolutionBackpropData-1", accuracy=TRANSPOSED, products=((0, 1),), parts=transposed_filters
)
def convolution_backprop_data(
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
    """Lay a multiple of each filter on the output for each element of an image: a transposed convolution.

    data [N, C_INPUT, *spatial], kernel [C_INPUT, C_OUTPUT, *window] -> [N, C_OUTPUT, *sizes], with one, two or three
    spatial axes. Along an axis of data of size X the filters cover strides * (X - 1) + (window - 1) * dilations + 1
    elements. Without ``output_shape``, ``pads_begin`` and ``pads_end`` are cut off these, nothing where ``auto_pad`` is
    not ``explicit``, and ``output_padding`` is added at the end. With it, half of what is too much is cut off the begin
    (the larger half if ``auto_pad`` is ``same_upper``); half of what is missing is added there. Floating-point results
    are float64. Raises ValueError where shapes or attributes do not fit together.
    """
    name = "ConvolutionBackpropData-1"
    require_image(name, data)
    if kernel.ndim != data.ndim or kernel.shape[0] != data.shape[1]:
        wanted = f"rank {data.ndim} and {data.shape[1]} input channels"
        raise ValueError(f"{name}: kernel must have {wanted}, got {list(kernel.shape)}")
    rest = (strides, pads_begin, pads_end, dilations, auto_pad, output_padding)
    return transpose_groups(name, data, kernel[np.newaxis], output_shape, *rest)
