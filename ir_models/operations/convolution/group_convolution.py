"""GroupConvolution: a convolution of its own for each group of channels (page GroupConvolution-1)."""

from math import prod

from ir_models.declaration import Input, Operation, Output, between, example
from ir_models.element_types import FLOATS, f32, i8, i32, u8
from ir_models.operations.convolution.convolution import (
    ATTRIBUTES,
    FILTERS,
    LARGE_INTEGERS,
    UNPADDED,
    T,
    drawn_places,
    summable,
)
from ir_models.windows import window_rules

VALUES = summable(lambda layer: prod(layer.kernel.shape[2:]))


def same_padding(spatial, size):
    """The three examples differ in their number of spatial axes. The page's is 224 along each."""
    return example(
        data=f32[tuple([1, 12] + [size] * spatial)],
        kernel=f32[tuple([4, 1, 3] + [5] * spatial)],
        dilations=[1] * spatial,
        pads_begin=[2] * spatial,
        pads_end=[2] * spatial,
        strides=[1] * spatial,
        auto_pad="explicit",
        output=[1, 4, *[size] * spatial],
        ports=[0, 1, 2],
    )


GroupConvolution = Operation(
    "GroupConvolution-1",
    opset="opset1",
    inputs=[
        Input("data", T, between(3, 5), values=VALUES),
        Input("kernel", T, between(4, 6), values=VALUES),
    ],
    outputs=[Output("y", T)],
    attributes=ATTRIBUTES,
    # 224 along three axes would be 135 million numbers.
    examples=[same_padding(1, 224), same_padding(2, 224), same_padding(3, 24)],
    variants={
        "one-group": [{"kernel": [1, 6, 10, 3, 4]}],
        "depthwise": [
            {"kernel": [10, 1, 1, 3, 4]},
            {"kernel": [10, 4, 1, 3, 4]},
            {"data": [2, 16, 9, 8], "kernel": [16, 1, 1, 3, 4], "auto_pad": "same_upper"},
            {
                "data": [2, 16, 9, 8],
                "kernel": [16, 1, 1, 3, 3],
                "strides": [1, 1],
                "dilations": [1, 1],
            },
        ],
        "unit-strides": [{"strides": [1, 1]}],
        "large-strides": [{"strides": [4, 3], "dilations": [1, 1]}],
        "no-dilation": [{"dilations": [1, 1]}],
        "large-dilations": [{"dilations": [4, 3]}],
        "no-padding": [{"pads_begin": [0, 0], "pads_end": [0, 0]}],
        "pads-only-begin": [{"pads_end": [0, 0]}],
        "pads-only-end": [{"pads_begin": [0, 0]}],
        # Some windows hold nothing but padding.
        "padding-window": [{"pads_begin": [6, 0], "pads_end": [0, 9]}],
        "pointwise": [{"kernel": [5, 6, 2, 1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}],
        "auto-pad": [
            {
                "auto_pad": auto_pad,
                "strides": strides,
                "kernel": [5, 6, 2, *window],
                "dilations": [1, 1],
            }
            for auto_pad in ("same_upper", "same_lower")
            for window in ([2, 4], [3, 3])
            for strides in ([1, 1], [2, 3])
        ],
        "many-terms": [
            {
                "data": [1, 96, 14, 15],
                "kernel": [2, 8, 48, 3, 5],
                "dilations": [1, 1],
                "strides": [1, 1],
            }
        ],
        "large-integers": [
            {"data": data, "kernel": kind.tensor([[[kernel]]]), **UNPADDED}
            for kind, data, kernel in LARGE_INTEGERS
        ],
        "constant-kernel": [
            *(
                {"data": kind[3, 6, 9, 8], "kernel": kind.tensor([[each] for each in FILTERS])}
                for kind in (*FLOATS, i8, i32)
            ),
            {"data": u8[3, 2, 9, 8], "kernel": u8.tensor([[[[[1, 0, 2]]]], [[[[0, 2, 1]]]]])},
            # One channel for each group, as in the usual depthwise layers.
            {"data": f32[3, 2, 9, 8], "kernel": f32.tensor([[[each[0]]] for each in FILTERS[:2]])},
        ],
    },
)


@GroupConvolution.plain
def plain(rank=4):
    """Five groups of two channels that become six; along every axis something of its own."""
    spatial = rank - 2
    return {
        "data": [2, 10, *[7, 9, 8][-spatial:]],
        "kernel": [5, 6, 2, *[2, 3, 4][-spatial:]],
        "strides": [3, 2, 3][-spatial:],
        "pads_begin": [2, 1, 0][-spatial:],
        "pads_end": [1, 0, 2][-spatial:],
        "dilations": [1, 2, 2][-spatial:],
        "auto_pad": "explicit",
    }


@GroupConvolution.random
def layer(draw):
    sizes, windows, attributes = drawn_places(draw, draw.integer(1, 3))
    groups, channels = draw.integer(1, 4), draw.integer(1, 3)
    return {
        "data": [draw.integer(1, 3), groups * channels, *sizes],
        "kernel": [groups, draw.integer(1, 3), channels, *windows],
        **attributes,
    }


@GroupConvolution.rule(
    "kernel has one dimension more than data",
    broken=[{"kernel": [5, 6, 2, 3]}, {"kernel": [5, 6, 2, 3, 4, 1]}],
)
def ranks(layer):
    return layer.kernel.rank == layer.data.rank + 1


@GroupConvolution.rule(
    "data has the channels of all groups",
    broken=[{"kernel": [5, 6, 3, 3, 4]}, {"kernel": [4, 6, 2, 3, 4]}, {"data": [3, 12, 9, 8]}],
)
def channels(layer):
    return layer.data.shape[1] == layer.kernel.shape[0] * layer.kernel.shape[2]


window_rules(
    GroupConvolution,
    lambda layer: layer.kernel.shape[3:],
    too_large=[{"kernel": [5, 6, 2, 7, 4]}, {"kernel": [5, 6, 2, 3, 9]}],
    positive=True,
)
