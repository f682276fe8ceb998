"""GroupConvolution: a convolution of its own for each group of channels (page GroupConvolution-1)."""

from math import gcd

from ir_models.declaration import example, variant
from ir_models.families.windows import (
    UNDILATED,
    convolution,
    fit_padding,
    stated_kernels,
    window_variants,
)


def drawn(draw):
    groups, channels = draw.integer(1, 4), draw.integer(1, 3)
    return [draw.integer(1, 3), groups * channels], [groups, draw.integer(1, 3), channels]


def same_padding(image, window, one, two):
    """The three examples differ in their number of spatial axes. The page's is 224 along each."""
    return example(
        f"data=f32[1,12,{image}]; kernel=f32[4,1,3,{window}]; strides={one}; pads_begin={two};"
        f"pads_end={two}; dilations={one}; auto_pad=explicit",
        output=[1, 4, *map(int, image.split(","))],
    )


GroupConvolution = convolution(
    "GroupConvolution-1",
    channels="GROUPS*C_IN",
    kernel="GROUPS, C_OUT, C_IN",
    # Five groups of two channels that become six; along every axis something of its own.
    plain="data=[2,10,7,9,8]; kernel=[5,6,2,2,3,4]; strides=3,2,3; pads_begin=2,1,0; pads_end=1,0,2;"
    "dilations=1,2,2; auto_pad=explicit",
    drawn=drawn,
    least=1,
    examples=[
        same_padding("224", "5", "1", "2"),
        same_padding("224,224", "5,5", "1,1", "2,2"),
        # 224 along three axes would be 135 million numbers.
        same_padding("24,24,24", "5,5,5", "1,1,1", "2,2,2"),
    ],
    too_large=["kernel=[5,6,2,7,4]|[5,6,2,3,9]"],
    violations=[
        "kernel=[5,6,2,3]|[5,6,2,3,4,1]|[5,6,3,3,4]|[4,6,2,3,4]",
        "data=[3,12,9,8]",
        "strides=0,1|1,0",
        "dilations=0,1|1,0",
    ],
    variants=[
        variant("one-group", "groups may be one", "kernel=[1,6,10,3,4]"),
        variant(
            "depthwise",
            "groups of one channel",
            "kernel=[10,1,1,3,4]|[10,4,1,3,4]",
            "data=[2,16,9,8]; kernel=[16,1,1,3,4]; auto_pad=same_upper",
            f"data=[2,16,9,8]; kernel=[16,1,1,3,3]; strides=1,1; {UNDILATED}",
        ),
        *window_variants(
            "[5,6,2,{}]", ["2,4", "3,3"], strides="1,1|2,3", large="4,3", also="dilations=2,2|1,1"
        ),
        variant("large-dilations", "wide gaps inside a window", "dilations=4,3"),
        variant("padding-window", "nothing but padding", "pads_begin=6,0; pads_end=0,9"),
        variant(
            "many-terms",
            "sums over many channels",
            f"data=[1,96,14,15]; kernel=[2,8,48,3,5]; strides=1,1; {UNDILATED}",
        ),
        *stated_kernels(
            "[3,6,9,8]",
            "[{}]",
            "data=u8[3,2,9,8]; kernel=u8:[[[[[1,0,2]]]],[[[[0,2,1]]]]]",
            # One channel for each group, as in the usual depthwise layers.
            "data=f32[3,2,9,8]; kernel=f32:[[[[[1,-2,3],[0,2,-1]]]],[[[[0,1,-1],[3,-3,2]]]]]",
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
