"""Col2Im (page Col2Im-15)."""

from collections.abc import Sequence
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum
from reference.shared.elementwise import real
from reference.shared.padding import window_size


def _additions(call: Call) -> np.ndarray:
    """How many additions lead to each element: the number of blocks that cover it less one."""
    ones = np.ones(call.array(0).shape)
    return np.maximum(call.function(ones, *call.inputs[1:], **call.attributes) - 1, 0)


@implements("Col2Im-15", accuracy=Sum(terms=_additions, operands=1))
def col2im(
    data: np.ndarray,
    output_size: np.ndarray,
    kernel_size: np.ndarray,
    *,
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    pads_begin: Sequence[int] = (0, 0),
    pads_end: Sequence[int] = (0, 0),
) -> np.ndarray:
    """Combine sliding blocks into an image; where blocks overlap, their elements are summed.

    data [N, C * kernel_height * kernel_width, L] or without N -> [N, C, output_height, output_width]
    or without N. The L blocks lie row by row on the padded image; elements on the padding are
    dropped. Sums of reals are float64, those of integers wrap. Raises ValueError where the shape of data does not fit.
    """
    name = "Col2Im-15"
    if data.ndim not in (2, 3):
        raise ValueError(f"{name}: data must have rank 2 or 3, got {data.ndim}")
    height, width = _pair("output_size", output_size, 1)
    kernel = _pair("kernel_size", kernel_size, 1)
    stride, dilation = _pair("strides", strides, 1), _pair("dilations", dilations, 0)
    begin, end = _pair("pads_begin", pads_begin, 0), _pair("pads_end", pads_end, 0)

    padded = [height + begin[0] + end[0], width + begin[1] + end[1]]
    blocks = [(padded[d] - window_size(kernel[d], dilation[d])) // stride[d] + 1 for d in range(2)]
    elements, count = data.shape[-2:]
    if min(blocks) < 1 or count != prod(blocks):
        raise ValueError(f"{name}: data must have {blocks} blocks, got {count} in all")
    if elements % prod(kernel):
        raise ValueError(
            f"{name}: the {prod(kernel)} elements of kernel_size {kernel} must divide those of a block, got {elements}"
        )
    batch = len(data) if data.ndim == 3 else 1
    columns = real(data).reshape(batch, elements // prod(kernel), *kernel, *blocks)
    image = np.zeros([*columns.shape[:2], *padded], columns.dtype)
    for row, column in np.ndindex(*kernel):
        # The positions of one kernel element in all blocks; they are distinct.
        top, left = row * dilation[0], column * dilation[1]
        rows = slice(top, top + (blocks[0] - 1) * stride[0] + 1, stride[0])
        across = slice(left, left + (blocks[1] - 1) * stride[1] + 1, stride[1])
        with np.errstate(invalid="ignore", over="ignore"):
            image[:, :, rows, across] += columns[:, :, row, column]
    output = image[:, :, begin[0] : begin[0] + height, begin[1] : begin[1] + width]
    return output if data.ndim == 3 else output[0]


def _pair(parameter: str, value: Sequence[int] | np.ndarray, least: int) -> list[int]:
    if np.shape(value) != (2,) or min(value) < least:
        got = np.asarray(value).tolist()
        raise ValueError(f"Col2Im-15: {parameter} must be two numbers from {least} on, got {got}")
    return [int(number) for number in value]
