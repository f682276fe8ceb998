"""GroupConvolution: a convolution of its own for each group of channels (page GroupConvolution-1)."""

from math import gcd

from ir_models.declaration import *
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


LINE = "strides=1; pads_begin=1; pads_end=1; dilations=1"
PRINTED = (
    "data=f32[1,12,224,224,224]; kernel=f32[4,1,3,5,5,5]; strides=1,1,1; pads_begin=2,2,2; "
    "pads_end=2,2,2; dilations=1,1,1; auto_pad=explicit"
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
    examples=examples(f"""
        data=f32[1,12,224]; kernel=f32[4,1,3,5]; strides=1; pads_begin=2; pads_end=2; dilations=1;
            auto_pad=explicit -> [1,4,224]
        data=f32[1,12,224,224]; kernel=f32[4,1,3,5,5]; strides=1,1; pads_begin=2,2; pads_end=2,2; dilations=1,1;
            auto_pad=explicit -> [1,4,224,224]
        data=f32[1,12,24,24,24]; kernel=f32[4,1,3,5,5,5]; strides=1,1,1; pads_begin=2,2,2; pads_end=2,2,2;
            dilations=1,1,1; auto_pad=explicit -> [1,4,24,24,24]
            scaled: the page has 224 along each of the three axes, 135 million numbers
            printed: {PRINTED} -> [1,4,224,224,224]
    """),
    too_large=["kernel=[5,6,2,7,4]|[5,6,2,3,9]"],
    readings=[
        Reading(
            "the number of input channels of a group",
            "It may be 0: sums of no terms are 0.",
            "The page has no least number.",
            "silence",
            admits="Refusing groups without channels.",
        ),
    ],
    violations=[
        "kernel=[5,6,2,3]|[5,6,2,3,4,1]|[5,6,3,3,4]|[4,6,2,3,4]",
        "data=[3,12,9,8]",
        "strides=0,1|1,0",
        "dilations=0,1|1,0",
    ],
    variants=[
        *variants(f"""
            one-group: groups may be one
                kernel=[1,6,10,3,4]
                data=[2,3,9]; kernel=[1,4,3,3]; {LINE}
            depthwise: groups of one channel
                kernel=[10,1,1,3,4]|[10,4,1,3,4]
                data=[2,16,9,8]; kernel=[16,1,1,3,4]; auto_pad=same_upper
                data=[2,16,9,8]; kernel=[16,1,1,3,3]; strides=1,1; {UNDILATED}
                data=[2,16,9]; kernel=[16,1,1,3]; {LINE}
        """),
        *window_variants(
            "[5,6,2,{}]", ["2,4", "3,3"], strides="1,1|2,3", large="4,3", also="dilations=2,2|1,1"
        ),
        *variants(f"""
            large-dilations: wide gaps inside a window
                dilations=4,3
            padding-window: nothing but padding
                pads_begin=6,0; pads_end=0,9
            many-terms: sums over many channels
                data=[1,96,14,15]; kernel=[2,8,48,3,5]; strides=1,1; {UNDILATED}
        """),
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
    """The groups that divide the channels of data, and padding where the window would not fit."""
    groups, filters, _, *windows = layer.kernel.shape
    groups = gcd(groups, layer.data.shape[1])
    channels = layer.data.shape[1] // groups
    return {"kernel": [groups, filters, channels, *windows], **fit_padding(layer)}
