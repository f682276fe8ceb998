"""Convolution: filters are laid on every place of an image (page Convolution-1)."""

from math import isqrt, prod

from ir_models.declaration import (
    Attribute,
    Input,
    Interval,
    Operation,
    Output,
    Within,
    between,
    example,
)
from ir_models.element_types import FLOATS, NUMERIC, f32, i8, i32, i64, types, u8, u64
from ir_models.windows import AUTO_PAD, window_rules

T = types("T", NUMERIC)

ATTRIBUTES = [
    Attribute("strides", list, required=True),
    Attribute("pads_begin", list, required=True),
    Attribute("pads_end", list, required=True),
    Attribute("dilations", list, required=True),
    AUTO_PAD,
]


def summable(terms):
    """Numbers of which ``terms(layer)`` products add up to something that the type holds."""

    def interval(layer, kind):
        if kind.is_float:
            return Interval(-2, 2)
        most = 2 ** (kind.bits - (kind.kind == "int")) - 1
        largest = min(max(isqrt(most // max(terms(layer), 1)), 1), 40)
        return Interval(-largest, largest)

    return Within(interval)


VALUES = summable(lambda layer: prod(layer.kernel.shape[1:]))

# Weights that every type of the page but the unsigned ones holds.
FILTERS = [
    [[[1, -2, 3], [0, 2, -1]], [[-3, 1, 2], [2, -2, 1]]],
    [[[0, 1, -1], [3, -3, 2]], [[1, 2, -2], [-1, 0, 3]]],
    [[[2, 0, 1], [-2, 1, 3]], [[-1, 3, 0], [1, -3, -2]]],
]

# Data and weights of one channel whose sums of products no f32, or no 32-bit integer, holds.
LARGE_INTEGERS = [
    (kind, kind.tensor([[[[one, 3, 5], [7, other, 9], [2, 4, one + 6]]]]), [[4099, 2], [1, 4097]])
    for kind, one, other in (
        (i32, 2**15 + 1, -(2**17) - 3),
        (i64, 2**33 + 1, -(2**40) - 3),
        (u64, 2**33 + 1, 2**40 + 3),
    )
]
UNPADDED = {
    "strides": [1, 1],
    "dilations": [1, 1],
    "pads_begin": [0, 0],
    "pads_end": [0, 0],
}

Convolution = Operation(
    "Convolution-1",
    opset="opset1",
    inputs=[
        Input("data", T, between(3, 5), values=VALUES),
        Input("kernel", T, between(3, 5), values=VALUES),
    ],
    outputs=[Output("y", T)],
    attributes=ATTRIBUTES,
    examples=[
        example(
            data=f32[1, 5, 128],
            kernel=f32[16, 5, 4],
            dilations=[1],
            pads_begin=[0],
            pads_end=[0],
            strides=[2],
            auto_pad="valid",
            output=[1, 16, 63],
            ports=[0, 1, 2],
        ),
        example(
            data=f32[1, 3, 224, 224],
            kernel=f32[64, 3, 5, 5],
            dilations=[1, 1],
            pads_begin=[2, 2],
            pads_end=[2, 2],
            strides=[1, 1],
            auto_pad="explicit",
            output=[1, 64, 224, 224],
            ports=[0, 1, 2],
        ),
        # The page's image is 320 along each axis, 229 million numbers; its output 106.
        example(
            data=f32[1, 7, 32, 32, 32],
            kernel=f32[32, 7, 3, 3, 3],
            dilations=[2, 2, 2],
            pads_begin=[0, 0, 0],
            pads_end=[0, 0, 0],
            strides=[3, 3, 3],
            auto_pad="explicit",
            output=[1, 32, 10, 10, 10],
            ports=[0, 1, 2],
        ),
    ],
    variants={
        "unit-strides": [{"strides": [1, 1]}],
        "large-strides": [{"strides": [5, 4]}],
        "no-dilation": [{"dilations": [1, 1]}],
        "large-dilations": [{"dilations": [7, 3]}],
        "no-padding": [{"pads_begin": [0, 0], "pads_end": [0, 0]}],
        "pads-only-begin": [{"pads_end": [0, 0]}],
        "pads-only-end": [{"pads_begin": [0, 0]}],
        # Some windows hold nothing but padding.
        "padding-window": [
            {"pads_begin": [4, 0], "pads_end": [0, 6]},
            {"kernel": [6, 4, 1, 1], "pads_begin": [2, 1], "pads_end": [1, 3]},
        ],
        "pointwise": [{"kernel": [6, 4, 1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}],
        "whole-image": [
            {"kernel": [6, 4, 10, 7], "dilations": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}
        ],
        # Of an odd padding one end gets more; with a stride of 1 the output is as large as the input.
        "auto-pad": [
            {
                "auto_pad": auto_pad,
                "strides": strides,
                "kernel": [6, 4, *window],
                "dilations": [1, 1],
            }
            for auto_pad in ("same_upper", "same_lower")
            for window in ([2, 4], [3, 3], [4, 1])
            for strides in ([1, 1], [2, 3], [4, 1])
        ],
        "many-terms": [
            {
                "data": [1, 64, 14, 15],
                "kernel": [16, 64, 3, 5],
                "dilations": [1, 1],
                "strides": [1, 1],
            },
            {"data": [1, 512, 6, 7], "kernel": [48, 512, 1, 1], "strides": [1, 1]},
        ],
        "large-integers": [
            {"data": data, "kernel": kind.tensor([[kernel]]), **UNPADDED}
            for kind, data, kernel in LARGE_INTEGERS
        ],
        "constant-kernel": [
            {"data": kind[3, 2, 10, 7], "kernel": kind.tensor(FILTERS), "auto_pad": auto_pad}
            for kind in (*FLOATS, i8, i32)
            for auto_pad in ("explicit", "same_lower")
        ]
        + [{"data": u8[3, 2, 10, 7], "kernel": u8.tensor([[[[1, 0, 2]], [[0, 2, 1]]]])}],
    },
)


@Convolution.plain
def plain(rank=4):
    """Along every axis a window, strides, dilations and paddings of its own."""
    spatial = rank - 2
    return {
        "data": [3, 4, *[5, 10, 7][-spatial:]],
        "kernel": [6, 4, *[5, 2, 3][-spatial:]],
        "strides": [2, 2, 3][-spatial:],
        "pads_begin": [2, 1, 0][-spatial:],
        "pads_end": [1, 0, 2][-spatial:],
        "dilations": [1, 3, 2][-spatial:],
        "auto_pad": "explicit",
    }


def drawn_places(draw, spatial):
    """Sizes, windows and attributes of a random layer; a window always fits."""
    windows = [draw.integer(1, 3) for _ in range(spatial)]
    dilations = [draw.integer(1, 3) for _ in range(spatial)]
    strides = [draw.integer(1, 3) for _ in range(spatial)]
    auto_pad = draw.choice(["explicit", "explicit", "same_upper", "same_lower", "valid", None])
    extents = [(w - 1) * d + 1 for w, d in zip(windows, dilations, strict=True)]
    sizes = [extent + draw.integer(0, 3) for extent in extents]
    # Less than a window, so that some of the output is not zero.
    begin, end = ([draw.integer(0, min(e - 1, 3)) for e in extents] for _ in range(2))
    attributes = {
        "strides": strides,
        "pads_begin": begin,
        "pads_end": end,
        "dilations": dilations,
        "auto_pad": auto_pad,
    }
    return sizes, windows, attributes


@Convolution.random
def layer(draw):
    sizes, windows, attributes = drawn_places(draw, draw.integer(1, 3))
    channels = draw.integer(1, 5)
    return {
        "data": [draw.integer(1, 3), channels, *sizes],
        "kernel": [draw.integer(2, 5), channels, *windows],
        **attributes,
    }


@Convolution.rule(
    "kernel has the rank of data",
    broken=[{"kernel": [6, 4, 3]}, {"kernel": [6, 4, 2, 3, 1]}],
)
def ranks(layer):
    return layer.kernel.rank == layer.data.rank


@Convolution.rule(
    "kernel has as many input channels as data",
    broken=[{"kernel": [6, 3, 2, 3]}, {"data": [3, 8, 10, 7]}],
)
def channels(layer):
    return layer.kernel.shape[1] == layer.data.shape[1]


window_rules(
    Convolution,
    lambda layer: layer.kernel.shape[2:],
    too_large=[
        {"kernel": [6, 4, 10, 3]},
        {"kernel": [6, 4, 2, 9]},
        {"auto_pad": "valid", "data": [3, 4, 3, 7]},
    ],
)
