"""Layers between FakeQuantize, which a device may compute in 8 bits."""

from ir_models.patterns.pattern import FEW, read_patterns

_CONVOLUTION = "{strides=1,1;pads_begin=0,1;pads_end=1,0;dilations=1,1;auto_pad=explicit}"
_POOL = "strides=1,1;pads_begin=0,0;pads_end=0,0;kernel=2,2"
# Levels of 1/32 for data of both signs, of 0.125 for what comes out; 0 is one of them.
_DATA = """
        const low=f32[]:-4
        const high=f32[]:3.96875
        i=FakeQuantize-1(x,low,high,low,high){levels=256}
"""
_OUT = """
        const least=f32[]:0
        const most=f32[]:31.875
"""
# No value of ``_DATA``, nor a mean of some, is half way between two of these levels, where the page says "round".
_NO_TIES = """
        const least=f32[]:0
        const most=f32[]:30.1
"""

QUANTIZATION = read_patterns(
    f"""
    quantized-Convolution: FakeQuantize of data and weights, Convolution, Add, FakeQuantize
        x=f32[2,3,5,6]
        const w=f32[4,3,2,2]~1
        const wlow=f32[]:-4
        const whigh=f32[]:4
        const b=f32[1,4,1,1]~2
        {_DATA}{_OUT}
        j=FakeQuantize-1(w,wlow,whigh,wlow,whigh){{levels=255}}
        a=Convolution-1(i,j){_CONVOLUTION}
        c=Add-1(a,b)
        y=FakeQuantize-1(c,least,most,least,most){{levels=256}}
        return y

    quantized-weights-i8: FakeQuantize, Convolution of i8 weights · scale, Add, ReLU
        x=f32[2,3,5,6]
        const w=i8[4,3,2,2]~1
        const scale=f32[4,1,1,1]+3
        const b=f32[1,4,1,1]~2
        {_DATA}
        v=Convert-1(w){{destination_type=f32}}
        j=Multiply-1(v,scale)
        a=Convolution-1(i,j){_CONVOLUTION}
        c=Add-1(a,b)
        y=ReLU-1(c)
        return y

    quantized-GroupConvolution: FakeQuantize, a convolution of each channel, ReLU, FakeQuantize
        x=f32[2,3,5,6]
        const w=f32[3,1,1,2,2]~1
        const wlow=f32[]:-4
        const whigh=f32[]:4
        {_DATA}{_OUT}
        j=FakeQuantize-1(w,wlow,whigh,wlow,whigh){{levels=255}}
        a=GroupConvolution-1(i,j){_CONVOLUTION}
        c=ReLU-1(a)
        y=FakeQuantize-1(c,least,most,least,most){{levels=256}}
        return y

    quantized-MatMul: FakeQuantize of data and weights, MatMul, Add, FakeQuantize
        x=f32[2,3,8]
        const w=f32[5,8]~1
        const wlow=f32[]:-4
        const whigh=f32[]:4
        const b=f32[5]~2
        {_DATA}{_OUT}
        j=FakeQuantize-1(w,wlow,whigh,wlow,whigh){{levels=255}}
        a=MatMul-1(i,j){{transpose_a=false;transpose_b=true}}
        c=Add-1(a,b)
        y=FakeQuantize-1(c,least,most,least,most){{levels=256}}
        return y

    quantized-operands: MatMul of two tensors, each behind FakeQuantize
        x=f32[2,3,8]
        z=f32[2,5,8]~1
        const zlow=f32[]:0
        const zhigh=f32[]:4
        {_DATA}
        j=FakeQuantize-1(z,zlow,zhigh,zlow,zhigh){{levels=256}}
        y=MatMul-1(i,j){{transpose_a=false;transpose_b=true}}
        return y

    quantized-sum: Add of two tensors behind FakeQuantize of other ranges, FakeQuantize
        x=f32[2,3,5,6]
        z=f32[2,3,5,6]~1
        const zlow=f32[]:0
        const zhigh=f32[]:4
        {_DATA}{_OUT}
        j=FakeQuantize-1(z,zlow,zhigh,zlow,zhigh){{levels=256}}
        c=Add-1(i,j)
        y=FakeQuantize-1(c,least,most,least,most){{levels=256}}
        return y

    quantized-Concat: Concat of tensors behind FakeQuantize of other ranges, Convolution
        x=f32[2,3,5,6]
        z=f32[2,2,5,6]~1
        const zlow=f32[]:-1
        const zhigh=f32[]:0.9921875
        const w=f32[4,5,2,2]~2
        const wlow=f32[]:-4
        const whigh=f32[]:4
        {_DATA}
        j=FakeQuantize-1(z,zlow,zhigh,zlow,zhigh){{levels=256}}
        k=FakeQuantize-1(w,wlow,whigh,wlow,whigh){{levels=255}}
        c=Concat-1(i,j){{axis=1}}
        y=Convolution-1(c,k){_CONVOLUTION}
        return y

    quantized-MaxPool: FakeQuantize, MaxPool, FakeQuantize
        x=f32[2,3,5,6]
        {_DATA}{_NO_TIES}
        a=MaxPool-1(i){{{_POOL};rounding_type=floor;auto_pad=explicit}}
        y=FakeQuantize-1(a,least,most,least,most){{levels=256}}
        return y

    quantized-AvgPool: FakeQuantize, AvgPool, FakeQuantize
        x=f32[2,3,5,6]
        {_DATA}{_NO_TIES}
        a=AvgPool-1(i){{{_POOL};exclude_pad=false;rounding_type=floor;auto_pad=explicit}}
        y=FakeQuantize-1(a,least,most,least,most){{levels=256}}
        return y

    quantized-ReduceMean: FakeQuantize, a mean of all positions, FakeQuantize
        x=f32[2,3,5,6]
        const axes=i64[2]:2,3
        {_DATA}{_NO_TIES}
        a=ReduceMean-1(i,axes){{keep_dims=true}}
        y=FakeQuantize-1(a,least,most,least,most){{levels=256}}
        return y

    quantized-movement: FakeQuantize, Transpose, Reshape, FakeQuantize, MatMul
        x=f32[2,3,4,5]
        const order=i64[4]:0,2,3,1
        const shape=i64[3]:0,20,3
        const w=f32[3,5]~1
        const wlow=f32[]:-4
        const whigh=f32[]:4
        {_DATA}
        k=FakeQuantize-1(w,wlow,whigh,wlow,whigh){{levels=255}}
        a=Transpose-1(i,order)
        b=Reshape-1(a,shape){{special_zero=true}}
        c=FakeQuantize-1(b,low,high,low,high){{levels=256}}
        y=MatMul-1(c,k){{transpose_a=false;transpose_b=false}}
        return y

    quantized-twice: FakeQuantize behind FakeQuantize of fewer levels and other limits
        x=f32[2,3,4,5]
        const fewer=f32[]:-2
        const most=f32[]:2
        const s=f32[1,3,1,1]+1
        {_DATA}
        a=Multiply-1(i,s)
        y=FakeQuantize-1(a,fewer,most,fewer,most){{levels=16}}
        return y

    quantized-rescaled: FakeQuantize with other output limits, Subtract, Multiply, FakeQuantize
        x=f32[2,3,4,5]
        const low=f32[]:-4
        const high=f32[]:3.96875
        const zero=f32[]:0
        const top=f32[]:255
        const point=f32[]:128
        const s=f32[]:0.03125
        i=FakeQuantize-1(x,low,high,zero,top){{levels=256}}
        a=Subtract-1(i,point)
        b=Multiply-1(a,s)
        y=FakeQuantize-1(b,low,high,zero,top){{levels=256}}
        return y
    """,
    crossings=FEW,
)
