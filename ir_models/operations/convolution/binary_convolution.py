"""BinaryConvolution: a convolution of -1 and 1, which are stored as 0 and 1 (page BinaryConvolution-1)."""

from functools import partial

import numpy as np

from ir_models.declaration import *
from ir_models.families.windows import UNDILATED, UNPADDED, convolution, window_variants

T1 = types("T1", "any numeric type with values 0 or 1")
T2 = types("T2", "u1 type")


def bits(layer, state, name):
    """Zeros and ones; of unsigned types more ones, so that few sums are negative."""
    ones = 0.85 if layer.data.element_type.kind == "uint" else 0.5
    return state.random_sample(layer.inputs[name].shape) < ones


def drawn(draw):
    channels = draw.integer(1, 5)
    return [draw.integer(1, 3), channels], [draw.integer(2, 5), channels]


def holds_bits(layer):
    return layer.data.value is None or set(np.ravel(layer.data.value)) <= {0, 1}


def is_whole(layer):
    return layer.data.element_type.is_float or layer.pad_value % 1 == 0


# Filters of eight channels, the same from both ends.
WORDS = ",".join(
    f"[{','.join(f'[[{bit}]]' for bit in word)}]" for word in ("10111101", "00100100", "11000011")
)
KERNEL = "kernel=u1:[[[[1,0,1],[0,0,1]],[[1,1,0],[0,1,0]]],[[[0,1,1],[1,0,1]],[[1,0,0],[0,1,1]]]]"

BinaryConvolution = convolution(
    "BinaryConvolution-1",
    channels="C_IN",
    kernel="C_OUT, C_IN",
    kinds=(T1, T2),
    spatial=(2,),
    values=(partial(bits, name="data"), partial(bits, name="kernel")),
    plain="data=[3,4,10,7]; kernel=[6,4,2,3]; strides=2,3; pads_begin=1,0; pads_end=0,2; dilations=3,2;"
    "mode=xnor-popcount; pad_value=1.0; auto_pad=explicit",
    drawn=drawn,
    own={
        Attribute("mode", ("xnor-popcount",), required=True): lambda draw: "xnor-popcount",
        Attribute("pad_value", float, required=True): lambda draw: draw.choice([0.0, 1.0, -1.0]),
    },
    least=0,
    examples=examples("""
        data=f32[1,3,224,224]; kernel=u1[64,3,5,5]; strides=1,1; pads_begin=2,2; pads_end=2,2; dilations=1,1;
            mode=xnor-popcount; pad_value=0.0; auto_pad=explicit -> [1,64,224,224]
    """),
    too_large=["kernel=[6,4,10,3]|[6,4,2,9]", "auto_pad=valid; data=[3,4,3,7]"],
    violations=["data=[3,8,10,7]"],
    not_judged=[],
    readings=[
        Reading(
            "'pad_value is a floating-point value used to fill pad area', and 'value 0 in inputs is interpreted as -1'",
            "0 is -1, 1 is 1, any other value stands for itself.",
            "The pad area is filled as the input is, and the input is interpreted.",
            "ambiguity",
            admits="0 adds nothing to the sum. Both answers pass.",
        ),
        Reading(
            "a pad_value of integer data that is no integer",
            "It is not tested.",
            "The page does not say how sums are rounded.",
            "silence",
        ),
        Reading(
            "unsigned element types, and sums below 0",
            "Such sums are not judged.",
            "'T1 type with full range of values' has no negative numbers then.",
            "contradiction",
        ),
    ],
    rules=[
        rule(
            "data holds 0 and 1 alone",
            holds_bits,
            unasked="the page does not say what other values give",
        ),
        rule(
            "pad_value is an integer where data is",
            is_whole,
            unasked="the page does not say how sums are rounded",
        ),
    ],
    variants=[
        *window_variants(
            "[6,4,{}]",
            ["2,4", "3,3"],
            strides="1,1|2,3",
            large="5,4",
            also="dilations=3,2|1,1",
        ),
        *variants(f"""
            pad-value: 'used to fill pad area'
                pad_value=0.0|-1.0|0.5|3.0; {UNDILATED}; strides=1,1
                pad_value=0.0|-1.0; auto_pad=same_upper|same_lower
                pad_value=0.0|-1.0; pads_begin=4,0; pads_end=0,6
            padding-window: some windows hold nothing but padding
                pads_begin=4,0; pads_end=0,6
            whole-image: one window
                kernel=[6,4,10,7]; {UNDILATED}; {UNPADDED}
            many-terms: sums over many channels
                data=[1,64,9,8]; kernel=[16,64,3,5]; strides=1,1; {UNDILATED}
                data=[1,300,6,7]; kernel=[40,300,1,1]; strides=1,1; {UNPADDED}
            odd-channels: more channels than whole words of bits
                data=[2,37,9,8]; kernel=[5,37,3,3]|[33,37,3,3]; strides=1,1; {UNDILATED}
            constant-kernel: weights are nearly always constants
                data=f32[3,2,10,7]; {KERNEL}; auto_pad=explicit|same_lower
                data=i8[3,2,10,7]; {KERNEL}; pad_value=0.0
                data=f32[2,8,10,7]; kernel=u1:[{WORDS}]; {UNPADDED}; strides=1,1; {UNDILATED}
                data=f32[2,8,10,7]; kernel=u1:[{WORDS}]; strides=1,1; {UNDILATED}; pad_value=1.0|-1.0|0.0
        """),
    ],
)
