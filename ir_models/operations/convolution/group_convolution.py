"""GroupConvolution: a convolution of its own for each group of channels (page GroupConvolution-1)."""

from math import gcd

from ir_models.declaration import example, variant
from ir_models.element_types import f32
from ir_models.families.windows import (
    FILTERS,
    LARGE_FILTER,
    UNDILATED,
    constant_kernel,
    convolution,
    convolution_attributes,
    fit_padding,
    large_integers,
    window_variants,
)


def drawn(draw):
    groups, channels = draw.integer(1, 4), draw.integer(1, 3)
    return [draw.integer(1, 3), groups * channels], [groups, draw.integer(1, 3), channels]


def same_padding(spatial, size):
    """The three examples differ in their number of spatial axes. The page's is 224 along each."""
    pads = dict.fromkeys(("pads_begin", "pads_end"), [2] * spatial)
    return example(
        data=f32[(1, 12, *[size] * spatial)],
        kernel=f32[(4, 1, 3, *[5] * spatial)],
        strides=[1] * spatial,
        dilations=[1] * spatial,
        auto_pad="explicit",
        output=[1, 4, *[size] * spatial],
        **pads,
    )


GroupConvolution = convolution(
    "GroupConvolution-1",
    channels="GROUPS*C_IN",
    kernel="GROUPS, C_OUT, C_IN",
    # Five groups of two channels that become six; along every axis something of its own.
    plain="data=[2,10,7,9,8]; kernel=[5,6,2,2,3,4]; strides=3,2,3; pads_begin=2,1,0; pads_end=1,0,2;"
    "dilations=1,2,2; auto_pad=explicit",
    drawn=drawn,
    attributes=convolution_attributes(least=1),
    # 224 along three axes would be 135 million numbers.
    examples=[same_padding(1, 224), same_padding(2, 224), same_padding(3, 24)],
    too_large=["kernel=[5,6,2,7,4]", "kernel=[5,6,2,3,9]"],
    violations=[
        *(f"kernel=[{shape}]" for shape in ("5,6,2,3", "5,6,2,3,4,1", "5,6,3,3,4", "4,6,2,3,4")),
        *(f"{name}={n}" for name in ("strides", "dilations") for n in ("0,1", "1,0")),
        "data=[3,12,9,8]",
    ],
    variants=[
        variant("one-group", "groups may be one", "kernel=[1,6,10,3,4]"),
        variant(
            "depthwise",
            "groups of one channel",
            "kernel=[10,1,1,3,4]",
            "kernel=[10,4,1,3,4]",
            "data=[2,16,9,8]; kernel=[16,1,1,3,4]; auto_pad=same_upper",
            f"data=[2,16,9,8]; kernel=[16,1,1,3,3]; strides=1,1; {UNDILATED}",
        ),
        *window_variants(
            "kernel=[5,6,2,{}]",
            large_strides="4,3",
            windows=["2,4", "3,3"],
            strides=["1,1", "2,3"],
            also=["", UNDILATED],
        ),
        variant("no-dilation", "neighbours", UNDILATED),
        variant("large-dilations", "wide gaps inside a window", "dilations=4,3"),
        variant(
            "padding-window",
            "some windows hold nothing but padding",
            "pads_begin=6,0; pads_end=0,9",
        ),
        variant(
            "many-terms",
            "sums over many channels",
            f"data=[1,96,14,15]; kernel=[2,8,48,3,5]; strides=1,1; {UNDILATED}",
        ),
        large_integers([[[LARGE_FILTER]]]),
        constant_kernel(
            [3, 6, 9, 8],
            [[each] for each in FILTERS],
            "data=u8[3,2,9,8]; kernel=u8:[[[[[1,0,2]]]],[[[[0,2,1]]]]]",
            # One channel for each group, as in the usual depthwise layers.
            {"data": f32[3, 2, 9, 8], "kernel": f32.tensor([[[each[0]]] for each in FILTERS[:2]])},
        ),
    ],
)


@GroupConvolution.adapt
def regroup(layer):
    """As many of the groups as divide the channels of data, and padding where the window would not fit."""
    groups, filters, _, *windows = layer.kernel.shape
    groups = gcd(groups, layer.data.shape[1])
    channels = layer.data.shape[1] // groups
    return {"kernel": [groups, filters, channels, *windows], **fit_padding(layer)}
