"""Col2Im (page Col2Im-15)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum
from reference.shared.padding import window_size


def _additions(call: Call) -> np.ndarray:
    """How many additions lead to each element: the number of blocks that cover it less one."""
    data, *sizes = call.inputs
    assert data is not None
    return np.maximum(call.function(np.ones(data.shape), *sizes, **call.attributes) - 1, 0)


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
    dropped. Floating-point numbers are summed in and returned as float64, integers in their own type,
    where sums wrap. Raises ValueError where the shape of data does not fit.
    """
    name = "Col2Im-15"
    if data.ndim not in (2, 3):
        raise ValueError(f"{name}: data must have rank 2 or 3, got {data.ndim}")
    height, width = _pair(name, "output_size", output_size.tolist(), 1)
    kernel = _pair(name, "kernel_size", kernel_size.tolist(), 1)
    stride = _pair(name, "strides", strides, 1)
    dilation = _pair(name, "dilations", dilations, 0)
    begin = _pair(name, "pads_begin", pads_begin, 0)
    end = _pair(name, "pads_end", pads_end, 0)

    padded = [height + begin[0] + end[0], width + begin[1] + end[1]]
    blocks = [(padded[d] - window_size(kernel[d], dilation[d])) // stride[d] + 1 for d in range(2)]
    elements, count = data.shape[-2:]
    if min(blocks) < 1 or count != blocks[0] * blocks[1]:
        raise ValueError(f"{name}: data must have {blocks} blocks, got {count} in all")
    if elements % (kernel[0] * kernel[1]):
        raise ValueError(
            f"{name}: the {kernel[0] * kernel[1]} elements of kernel_size {kernel} "
            f"must divide those of a block, got {elements}"
        )
    summed = data if data.dtype.kind in "iu" else data.astype(np.float64)
    batch = data.shape[0] if data.ndim == 3 else 1
    columns = summed.reshape(batch, elements // (kernel[0] * kernel[1]), *kernel, *blocks)
    image = np.zeros([*columns.shape[:2], *padded], columns.dtype)
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            # The positions of one kernel element in all blocks; they are distinct.
            top, left = row * dilation[0], column * dilation[1]
            rows = slice(top, top + (blocks[0] - 1) * stride[0] + 1, stride[0])
            across = slice(left, left + (blocks[1] - 1) * stride[1] + 1, stride[1])
            with np.errstate(invalid="ignore", over="ignore"):
                image[:, :, rows, across] += columns[:, :, row, column]
    output = image[:, :, begin[0] : begin[0] + height, begin[1] : begin[1] + width]
    return output if data.ndim == 3 else output[0]


def _pair(name: str, parameter: str, value: Sequence[int], least: int) -> list[int]:
    if np.shape(value) != (2,) or min(value) < least:
        raise ValueError(
            f"{name}: {parameter} must be two numbers from {least} on, got {list(value)}"
        )
    return [int(item) for item in value]
