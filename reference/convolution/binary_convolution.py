"""BinaryConvolution (page BinaryConvolution-1)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded, is_float
from reference.shared.convolving import convolve
from reference.shared.windows import AutoPad, windows


def _sums(
    data: np.ndarray,
    kernel: np.ndarray,
    padding: float,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str = "explicit",
    **_: object,
) -> np.ndarray:
    """Sums of products of -1 and 1, with any number as padding."""
    moving = windows(
        "BinaryConvolution-1",
        data.shape[2:],
        kernel.shape[2:],
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
    )
    image, filters = (2 * each.astype(np.float64) - 1 for each in (data, kernel))
    summed = convolve(image, filters, moving, padding)
    return summed if is_float(data.dtype) else summed.astype(np.int64).astype(data.dtype)


def _of_either_padding(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """A pad_value of 0 may be the bit that is -1, or the number that adds nothing, in all windows alike."""
    (output,), (given,) = call.outputs, actual
    if call.attributes["pad_value"] != 0 or given.shape != output.shape:
        return call.outputs
    other = _sums(call.array(0), call.array(1), 0, **call.attributes)
    return min(
        ((output,), (other,)),
        key=lambda each: np.count_nonzero(each[0].astype(given.dtype) != given),
    )


# The sum is counted in integers, and every type has those of some hundred bits; larger ones are rounded once.
_COUNTED = Rounded(quality=0, operands=1)


@implements("BinaryConvolution-1", accuracy=Choice(_of_either_padding, within=_COUNTED))
def binary_convolution(
    data: np.ndarray,
    kernel: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    mode: Literal["xnor-popcount"],
    pad_value: float,
    auto_pad: AutoPad = "explicit",
) -> np.ndarray:
    """Convolve images of -1 and 1 with filters of -1 and 1, both stored as 0 and 1.

    data [N, C_IN, Y, X], kernel [C_OUT, C_IN, *window] -> [N, C_OUT, *counts], with windows as in Convolution. Each
    output is 2 * P - B, where P of the B bits of window and filter are equal: the sum of products of -1 and 1. The
    padding is ``pad_value``: 0 and 1 are the bits -1 and 1. Of floating-point data the result is float64; integers
    wrap. Raises ValueError where shapes or attributes do not fit together.
    """
    name = "BinaryConvolution-1"
    if data.ndim != 4 or kernel.ndim != 4 or kernel.shape[1] != data.shape[1]:
        shapes = f"{list(data.shape)} and {list(kernel.shape)}"
        raise ValueError(
            f"{name}: data and kernel must have rank 4 and as many channels, got {shapes}"
        )
    padding = -1.0 if pad_value == 0 else pad_value
    return _sums(data, kernel, padding, strides, pads_begin, pads_end, dilations, auto_pad)
