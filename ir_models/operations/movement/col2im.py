"""Col2Im: sliding blocks put back into an image (page Col2Im-15)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Interval,
    Operation,
    Output,
    between,
    example,
)
from ir_models.element_types import ANY, NUMERIC, i32, i64, types

T = types("T", ANY)
T_IDX = types("T_IDX", i32, i64)


def index(first, second):
    """The examples' parameters, of the precision that they print."""
    return i32.tensor([first, second])


Col2Im = Operation(
    "Col2Im-15",
    opset="opset15",
    inputs=[
        # Nine of the largest, the most that meet in the layers below, do not leave i8.
        Input("data", T, between(2, 3), values=Interval(-14, 14)),
        Index("output_size", T_IDX),
        Index("kernel_size", T_IDX),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("strides", list, default=(1, 1)),
        Attribute("dilations", list, default=(1, 1)),
        Attribute("pads_begin", list, default=(0, 0)),
        Attribute("pads_end", list, default=(0, 0)),
    ],
    # The page prints 1 as the output's port in each of them, which is also that of output_size.
    examples=[
        example(
            data=i32[3, 12, 225],
            output_size=index(16, 16),
            kernel_size=index(2, 2),
            output=[3, 3, 16, 16],
            ports=[0, 1, 2, 1],
        ),
        example(
            data=i32[1, 27, 49],
            output_size=index(16, 16),
            kernel_size=index(3, 3),
            dilations=[2, 2],
            pads_begin=[1, 1],
            pads_end=[1, 1],
            strides=[2, 2],
            output=[1, 3, 16, 16],
            ports=[0, 1, 2, 1],
            erratum="the page prints 25 blocks; by its formula (16+1+1-2*2-1)/2+1 there are 7*7",
        ),
        example(
            data=i32[12, 12, 1296],
            output_size=index(32, 32),
            kernel_size=index(2, 2),
            dilations=[2, 2],
            pads_begin=[3, 3],
            pads_end=[3, 3],
            output=[12, 3, 32, 32],
            ports=[0, 1, 2, 1],
            erratum="the page prints 324 blocks; by its formula (32+3+3-2*1-1)/1+1 there are 36*36",
        ),
        example(
            data=i32[12, 225],
            output_size=index(16, 16),
            kernel_size=index(2, 2),
            output=[3, 16, 16],
            ports=[0, 1, 2, 1],
        ),
    ],
    variants={
        "no-batch": [{"data": [18, 15]}],
        "defaults": [
            {"data": [2, 18, 25], "strides": None},
            {"data": [2, 18, 21], "dilations": None},
            {"data": [2, 18, 10], "pads_begin": None},
            {"data": [2, 18, 9], "pads_end": None},
            {
                "data": [2, 18, 20],
                "strides": None,
                "dilations": None,
                "pads_begin": None,
                "pads_end": None,
            },
        ],
        "strides": [
            {"data": [2, 18, 5], "strides": (5, 1)},
            # Rows and columns between the blocks stay zero.
            {"data": [2, 18, 4], "strides": (3, 4)},
        ],
        "dilations": [{"data": [2, 18, 5], "dilations": (5, 2)}],
        # The page allows 0: all elements of a block fall on one.
        "zero-dilation": [{"data": [2, 18, 27], "dilations": (1, 0)}],
        "pads-only-begin": [
            {"data": [2, 18, 15], "pads_begin": (1, 2), "pads_end": (0, 0)},
            {"data": [2, 18, 24], "pads_begin": (3, 3), "pads_end": (0, 0)},
        ],
        "pads-only-end": [
            {"data": [2, 18, 15], "pads_begin": (0, 0), "pads_end": (1, 2)},
            {"data": [2, 18, 24], "pads_begin": (0, 0), "pads_end": (3, 3)},
        ],
        "one-block": [
            {"data": [2, 18, 1], "output_size": [2, 5], "pads_begin": (0, 0), "pads_end": (0, 0)}
        ],
        "one-element-blocks": [
            {
                "data": [2, 3, 35],
                "kernel_size": [1, 1],
                "strides": (1, 1),
                "pads_begin": (0, 0),
                "pads_end": (0, 0),
            }
        ],
    },
)


@Col2Im.plain
def plain(rank=3):
    """Three blocks down, five across; a dilation, a stride and both paddings."""
    return {
        "data": [2, 18, 15][-rank:],
        "output_size": [5, 7],
        "kernel_size": [2, 3],
        "strides": (2, 1),
        "dilations": (1, 2),
        "pads_begin": (1, 0),
        "pads_end": (0, 2),
    }


@Col2Im.random
def layer(draw):
    """With every attribute: what their defaults do is a purpose of its own."""
    kernel, strides, dilations, begin, end, output_size = [], [], [], [], [], []
    blocks = 1
    for _ in range(2):
        kernel.append(draw.integer(1, 3))
        strides.append(draw.integer(1, 3))
        dilations.append(draw.integer(1, 3))
        window = (kernel[-1] - 1) * dilations[-1] + 1
        # A wider padding could swallow whole blocks.
        begin.append(draw.integer(0, min(2, window - 1)))
        end.append(draw.integer(0, 2))
        output_size.append(draw.integer(max(2, window), window + 5))
        blocks *= (output_size[-1] + begin[-1] + end[-1] - window) // strides[-1] + 1
    batch = [draw.integer(1, 3)] if draw.boolean() else []
    return {
        "data": [*batch, draw.integer(1, 3) * kernel[0] * kernel[1], blocks],
        "output_size": output_size,
        "kernel_size": kernel,
        "strides": strides,
        "dilations": dilations,
        "pads_begin": begin,
        "pads_end": end,
    }


@Col2Im.rule(
    "output_size, kernel_size, strides, dilations, pads_begin and pads_end have two numbers",
    broken=[
        {"output_size": [5, 7, 1]},
        {"kernel_size": [2, 3, 1]},
        {"strides": (2, 1, 1)},
        {"dilations": (1,)},
        {"pads_begin": (1, 0, 0)},
        {"pads_end": (0,)},
    ],
)
def pairs(layer):
    lists = (layer.strides, layer.dilations, layer.pads_begin, layer.pads_end)
    inputs = (layer.output_size, layer.kernel_size)
    return all(len(each) == 2 for each in lists) and all(t.shape == (2,) for t in inputs)


@Col2Im.rule("output_size is positive", broken=[{"output_size": [-5, 7]}, {"output_size": [5, 0]}])
def output_size_positive(layer):
    return min(layer.output_size.value) > 0


@Col2Im.rule("kernel_size is not negative", broken=[{"kernel_size": [-2, -3]}])
def kernel_size_not_negative(layer):
    return min(layer.kernel_size.value) >= 0


@Col2Im.rule("strides are positive", broken=[{"strides": (0, 1)}, {"strides": (2, -1)}])
def strides_positive(layer):
    return min(layer.strides) > 0


@Col2Im.rule(
    "dilations, pads_begin and pads_end are not negative",
    broken=[{"dilations": (-1, 2)}, {"pads_begin": (-1, 0)}, {"pads_end": (0, -2)}],
)
def not_negative(layer):
    return min(layer.dilations + layer.pads_begin + layer.pads_end) >= 0


# Never asked as an invalid layer: the page allows 0, but then nothing tells the channels.
@Col2Im.rule("kernel_size is not 0")
def kernel_size_not_zero(layer):
    return 0 not in layer.kernel_size.value


@Col2Im.rule(
    "the elements of a block are channels times the product of kernel_size",
    broken=[{"data": [2, 17, 15]}, {"data": [2, 20, 15]}, {"data": [2, 3, 15]}],
)
def whole_channels(layer):
    height, width = layer.kernel_size.value
    return min(height, width) < 1 or layer.data.shape[-2] % (height * width) == 0


@Col2Im.rule(
    "L is the number of blocks",
    broken=[{"data": [2, 18, 14]}, {"data": [2, 18, 16]}, {"data": [2, 18, 1]}],
)
def block_count(layer):
    count, numbers = (
        1,
        zip(
            layer.output_size.value,
            layer.kernel_size.value,
            layer.strides,
            layer.dilations,
            layer.pads_begin,
            layer.pads_end,
            strict=True,
        ),
    )
    for size, kernel, stride, dilation, begin, end in numbers:
        if size < 1 or kernel < 1 or stride < 1 or min(dilation, begin, end) < 0:
            return True
        count *= max((size + begin + end - dilation * (kernel - 1) - 1) // stride + 1, 0)
    return layer.data.shape[-1] == count > 0


# Never asked as an invalid layer: the page takes any type, and combines numbers alone.
@Col2Im.rule("data are numbers that can be added")
def addable(layer):
    return layer.data.element_type in NUMERIC
