"""ConvolutionBackpropData: a transposed convolution (page ConvolutionBackpropData-1)."""

from ir_models.declaration import *
from ir_models.families.transposed import transposed
from ir_models.families.windows import UNDILATED, UNPADDED, stated_kernels


def drawn(draw):
    channels = draw.integer(1, 5)
    return [draw.integer(1, 3), channels], [channels, draw.integer(1, 5)]


ConvolutionBackpropData = transposed(
    "ConvolutionBackpropData-1",
    channels="C_INPUT",
    kernel="C_INPUT, C_OUTPUT",
    plain="data=[2,5,5,4,3]; kernel=[5,6,2,4,3]",
    drawn=drawn,
    examples=examples("""
        data=f32[1,20,224,224]; kernel=f32[20,10,3,3]; strides=2,2; pads_begin=1,1; pads_end=1,1; dilations=1,1;
            output_padding=0,0; auto_pad=explicit -> [1,10,447,447]
        data=f32[1,20,2,2]; kernel=f32[20,10,3,3]; strides=3,3; pads_begin=0,0; pads_end=0,0; dilations=1,1;
            output_padding=2,2; auto_pad=explicit -> [1,10,8,8]
        data=f32[1,20,224,224]; kernel=f32[20,10,3,3]; output_shape=450,450; strides=1,1; pads_begin=1,1;
            pads_end=1,1; dilations=1,1; output_padding=0,0; auto_pad=valid -> [1,10,450,450]
    """),
    violations=["kernel=[5,6,4]|[5,6,2,4,3]", "data=[2,6,4,3]"],
    own=[
        *variants(f"""
            pointwise: one element
                kernel=[5,6,1,1]; output_padding=-|1,2; {UNPADDED}
                kernel=[5,6,1,1]; strides=1,1; output_padding=-; {UNPADDED}
            one-element: data of one element, whose multiple of the filters the output is
                data=[2,5,1,1]; {UNPADDED}
            many-terms: sums over many channels
                data=[1,64,8,9]; kernel=[64,16,3,5]; strides=1,1; {UNDILATED}
                data=[1,512,6,7]; kernel=[512,48,1,1]; strides=1,1; output_padding=-; {UNPADDED}
        """),
        *stated_kernels("[2,3,7,5]", "{}", "data=u8[2,2,7,5]; kernel=u8:[[[[1,0,2]]],[[[0,2,1]]]]"),
    ],
)
