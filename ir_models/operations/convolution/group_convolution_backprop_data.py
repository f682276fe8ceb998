"""GroupConvolutionBackpropData: a transposed convolution for each group (page GroupConvolutionBackpropData-1)."""

from math import gcd

from ir_models.declaration import *
from ir_models.families.transposed import transposed, uncropped
from ir_models.families.windows import UNDILATED, UNPADDED, stated_kernels


def drawn(draw):
    groups, channels = draw.integer(1, 4), draw.integer(1, 3)
    return [draw.integer(1, 3), groups * channels], [groups, channels, draw.integer(1, 3)]


ALL = "strides=2,2,2; pads_begin=1,1,1; pads_end=1,1,1; dilations=1,1,1"
LINE = "strides=2; pads_begin=1; pads_end=1; dilations=1; output_padding=-"
PRINTED = f"data=f32[1,20,224,224,224]; kernel=f32[4,5,2,3,3,3]; {ALL}"

GroupConvolutionBackpropData = transposed(
    "GroupConvolutionBackpropData-1",
    channels="GROUPS*C_IN",
    kernel="GROUPS, C_IN, C_OUT",
    # Two groups of six channels that become five.
    plain="data=[2,12,5,4,3]; kernel=[2,6,5,2,4,3]",
    drawn=drawn,
    examples=examples(f"""
        data=f32[1,20,224]; kernel=f32[4,5,2,3]; strides=2; pads_begin=1; pads_end=1; dilations=1 -> [1,8,447]
        data=f32[1,20,224,224]; kernel=f32[4,5,2,3,3]; strides=2,2; pads_begin=1,1; pads_end=1,1; dilations=1,1
            -> [1,8,447,447]
        data=f32[1,20,24,24,24]; kernel=f32[4,5,2,3,3,3]; {ALL} -> [1,8,47,47,47]
            scaled: the page has 224 along each of the three axes, 225 million numbers
            printed: {PRINTED} -> [1,8,447,447,447]
    """),
    violations=["kernel=[2,6,5,4]|[2,6,5,2,4,3]|[2,5,5,4,3]|[3,6,5,4,3]", "data=[2,13,4,3]"],
    readings=[
        Reading(
            "kernel: 'Layout is [GROUPS, C_IN, C_OUT, X, Y, Z]'",
            "The spatial axes are in the order of data, Z, Y, X.",
            "GroupConvolution-1 and ConvolutionBackpropData-1, with which it shares its attributes, have this order.",
            "slip",
        ),
        Reading(
            "the number of input channels of a group",
            "It may be 0: sums of no terms are 0.",
            "The page has no least number.",
            "silence",
            admits="Refusing groups without channels.",
        ),
    ],
    own=[
        *variants(f"""
            one-group: groups may be one
                kernel=[1,12,5,4,3]
                data=[2,12,7]; kernel=[1,12,5,3]; {LINE}
            depthwise: groups of one channel
                kernel=[12,1,1,4,3]|[12,1,2,4,3]
                data=[2,16,7,5]; kernel=[16,1,1,3,3]; strides=2,2; {UNDILATED}
                data=[2,16,7]; kernel=[16,1,1,3]; {LINE}
            pointwise: one element
                kernel=[2,6,5,1,1]; output_padding=-|1,2; {UNPADDED}
            many-terms: sums over many channels
                data=[1,96,8,9]; kernel=[2,48,8,3,5]; strides=1,1; {UNDILATED}
        """),
        *stated_kernels(
            "[2,3,7,5]",
            "[{}]",
            "data=u8[2,2,7,5]; kernel=u8:[[[[[1,0,2]]]],[[[[0,2,1]]]]]",
            # One channel for each group, as in the usual depthwise layers.
            "data=f32[2,2,7,5]; kernel=f32:[[[[[1,-2,3],[0,2,-1]]]],[[[[0,1,-1],[3,-3,2]]]]]",
        ),
    ],
)


@GroupConvolutionBackpropData.adapt
def regroup(layer):
    """The groups that divide the channels of data, and no padding."""
    groups, _, filters, *windows = layer.kernel.shape
    groups = gcd(groups, layer.data.shape[1])
    channels = layer.data.shape[1] // groups
    return {"kernel": [groups, channels, filters, *windows], **uncropped(layer)}
