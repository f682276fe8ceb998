"""Convolution: filters are laid on every place of an image (page Convolution-1)."""

from ir_models.declaration import *
from ir_models.families.windows import (
    UNDILATED,
    UNPADDED,
    convolution,
    stated_kernels,
    window_variants,
)


def drawn(draw):
    channels = draw.integer(1, 5)
    return [draw.integer(1, 3), channels], [draw.integer(2, 5), channels]


Convolution = convolution(
    "Convolution-1",
    channels="C_IN",
    kernel="C_OUT, C_IN",
    # Along every axis a window, strides, dilations and paddings of its own.
    plain="data=[3,4,5,10,7]; kernel=[6,4,5,2,3]; strides=2,2,3; pads_begin=2,1,0; pads_end=1,0,2;"
    "dilations=1,3,2; auto_pad=explicit",
    drawn=drawn,
    least=0,
    # The page's third image is 320 along each axis, 229 million numbers; its output 106.
    examples=examples("""
        data=f32[1,5,128]; kernel=f32[16,5,4]; strides=2; pads_begin=0; pads_end=0; dilations=1; auto_pad=valid
            -> [1,16,63]
        data=f32[1,3,224,224]; kernel=f32[64,3,5,5]; strides=1,1; pads_begin=2,2; pads_end=2,2;
            dilations=1,1; auto_pad=explicit -> [1,64,224,224]
        data=f32[1,7,32,32,32]; kernel=f32[32,7,3,3,3]; strides=3,3,3; pads_begin=0,0,0; pads_end=0,0,0;
            dilations=2,2,2; auto_pad=explicit -> [1,32,10,10,10]
    """),
    too_large=["kernel=[6,4,10,3]|[6,4,2,9]", "auto_pad=valid; data=[3,4,3,7]"],
    violations=["kernel=[6,4,3]|[6,4,2,3,1]", "data=[3,8,10,7]"],
    variants=[
        *window_variants(
            "[6,4,{}]",
            ["2,4", "3,3", "4,1"],
            strides="1,1|2,3|4,1",
            large="5,4",
            also="dilations=3,2|1,1",
        ),
        *variants(f"""
            large-dilations: wide gaps inside a window
                dilations=7,3
            padding-window: some windows hold nothing but padding
                pads_begin=4,0; pads_end=0,6
                kernel=[6,4,1,1]; pads_begin=2,1; pads_end=1,3
            whole-image: one window
                kernel=[6,4,10,7]; {UNDILATED}; {UNPADDED}
            many-terms: sums over many channels
                data=[1,64,14,15]; kernel=[16,64,3,5]; strides=1,1; {UNDILATED}
                data=[1,512,6,7]; kernel=[48,512,1,1]; strides=1,1
        """),
        *stated_kernels("[3,2,10,7]", "{}", "data=u8[3,2,10,7]; kernel=u8:[[[[1,0,2]],[[0,2,1]]]]"),
    ],
)
