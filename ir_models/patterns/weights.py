"""Layers with weights, and what stands around them: biases, scales, activations, weights that are stored compressed."""

from ir_models.patterns.pattern import FEW, Pattern, read_patterns

# Types of weights, and of their zero points: those that the other patterns do not have.
_COMPRESSED = (
    ("u2", "u2"),
    ("i4", "i4"),
    ("u4", "f32"),
    ("i8", "u8"),
    ("nf4", ""),
    ("f8e4m3", ""),
    ("f8e5m2", ""),
    ("f4e2m1", ""),
)


def _decompression(weights: str, points: str) -> Pattern:
    """Groups of weights of a type with scales of their own, and zero points of another one, before MatMul."""
    point = f"const point={points}[6,2,1]~4" if points else ""
    converted = "p=Convert-1(point){destination_type=f32}" if points else ""
    subtracted = "b=Subtract-1(a,p)" if points else ""
    if points == "f32":
        converted, subtracted = "", "b=Subtract-1(a,point)"
    behind = f"-zero-points-{points}" if points else ""
    return Pattern(
        f"decompression-{weights}-groups{behind}",
        f"groups of {weights} weights with scales of their own, before MatMul",
        f"""
        x=f32[2,3,8]
        const w={weights}[6,2,4]~1
        {point}
        const scale=f32[6,2,1]+3
        const shape=i64[2]:6,8
        a=Convert-1(w){{destination_type=f32}}
        {converted}
        {subtracted}
        c=Multiply-1({"b" if points else "a"},scale)
        d=Reshape-1(c,shape){{special_zero=false}}
        y=MatMul-1(x,d){{transpose_a=false;transpose_b=true}}
        return y
        """,
        crossings=FEW,
    )


WEIGHTS = [
    *(_decompression(*types) for types in _COMPRESSED),
    *read_patterns(
        """
        MatMul-Add-ReLU: max(x · w + b, 0)
            x=f32[2,3,4]
            const w=f32[4,5]~1
            const b=f32[1,1,5]~2
            a=MatMul-1(x,w){transpose_a=false;transpose_b=false}
            c=Add-1(a,b)
            y=ReLU-1(c)
            return y

        MatMul-Multiply-Add: (x · w) · s + b
            x=f32[2,3,4]
            const w=f32[5,4]~1
            const s=f32[5]~2
            const b=f32[5]~3
            a=MatMul-1(x,w){transpose_a=false;transpose_b=true}
            c=Multiply-1(a,s)
            y=Add-1(c,b)
            return y

        Multiply-MatMul: (x · s) · w
            x=f32[2,3,4]
            const s=f32[4]~2
            const w=f32[4,5]~1
            a=Multiply-1(x,s)
            y=MatMul-1(a,w){transpose_a=false;transpose_b=false}
            return y

        Transpose-MatMul: MatMul of transposed operands
            x=f32[2,3,4]
            z=f32[2,3,5]~1
            const order=i64[3]:0,2,1
            a=Transpose-1(x,order)
            y=MatMul-1(a,z){transpose_a=false;transpose_b=false}
            return y

        Convolution-Add-ReLU: max(convolution(x, w) + b, 0)
            x=f32[2,3,5,6]
            const w=f32[4,3,2,2]~1
            const b=f32[1,4,1,1]~2
            a=Convolution-1(x,w){strides=1,1;pads_begin=0,1;pads_end=1,0;dilations=1,1;auto_pad=explicit}
            c=Add-1(a,b)
            y=ReLU-1(c)
            return y

        Convolution-Multiply-Add: convolution(x, w) · s + b
            x=f32[2,3,5,6]
            const w=f32[4,3,2,2]~1
            const s=f32[1,4,1,1]~2
            const b=f32[1,4,1,1]~3
            a=Convolution-1(x,w){strides=1,1;pads_begin=0,1;pads_end=1,0;dilations=1,1;auto_pad=explicit}
            c=Multiply-1(a,s)
            y=Add-1(c,b)
            return y

        Multiply-Convolution: convolution(x · s, w)
            x=f32[2,3,5,6]
            const s=f32[1,3,1,1]~2
            const w=f32[4,3,2,2]~1
            a=Multiply-1(x,s)
            y=Convolution-1(a,w){strides=1,1;pads_begin=0,1;pads_end=1,0;dilations=1,1;auto_pad=explicit}
            return y

        Convolution-sum: max(convolution(x, w) + z, 0): a sum of two branches
            x=f32[2,3,5,6]
            z=f32[2,4,5,6]~5
            const w=f32[4,3,2,2]~1
            a=Convolution-1(x,w){strides=1,1;pads_begin=0,1;pads_end=1,0;dilations=1,1;auto_pad=explicit}
            c=Add-1(a,z)
            y=ReLU-1(c)
            return y

        Pad-Convolution: convolution(pad(x), w)
            x=f32[2,3,5,6]
            const begin=i64[4]:0,0,1,0
            const end=i64[4]:0,0,0,1
            const value=f32[]:0
            const w=f32[4,3,2,2]~1
            a=Pad-1(x,begin,end,value){pad_mode=constant}
            y=Convolution-1(a,w){strides=1,1;pads_begin=0,0;pads_end=0,0;dilations=1,1;auto_pad=explicit}
            return y

        GroupConvolution-Multiply-Add: a convolution of each channel, · s + b
            x=f32[2,3,5,6]
            const w=f32[3,1,1,2,2]~1
            const s=f32[1,3,1,1]~2
            const b=f32[1,3,1,1]~3
            a=GroupConvolution-1(x,w){strides=1,1;pads_begin=0,0;pads_end=0,0;dilations=1,1;auto_pad=explicit}
            c=Multiply-1(a,s)
            y=Add-1(c,b)
            return y

        Multiply-ReduceSum-Add: Σ x · z + b: a product of vectors
            x=f32[2,3,4]
            const z=f32[1,1,4]~1
            const axes=i64[1]:2
            const b=f32[1,3,1]~2
            a=Multiply-1(x,z)
            c=ReduceSum-1(a,axes){keep_dims=true}
            y=Add-1(c,b)
            return y

        decompression-u8: (convert(w) - zero point) · scale, before MatMul
            x=f32[2,3,8]
            const w=u8[5,8]~1
            const zero=f32[5,1]:7
            const scale=f32[5,1]+3
            a=Convert-1(w){destination_type=f32}
            b=Subtract-1(a,zero)
            c=Multiply-1(b,scale)
            y=MatMul-1(x,c){transpose_a=false;transpose_b=true}
            return y

        decompression-i8: convert(w) · scale, before MatMul
            x=f32[2,3,8]
            const w=i8[8,5]~1
            const scale=f32[1,5]+3
            a=Convert-1(w){destination_type=f32}
            c=Multiply-1(a,scale)
            y=MatMul-1(x,c){transpose_a=false;transpose_b=false}
            return y

        decompression-u4-groups: groups of u4 weights with scales of their own, before MatMul
            x=f32[2,3,8]
            const w=u4[6,2,4]~1
            const point=u4[6,2,1]~4
            const scale=f32[6,2,1]+3
            const shape=i64[2]:6,8
            a=Convert-1(w){destination_type=f32}
            p=Convert-1(point){destination_type=f32}
            b=Subtract-1(a,p)
            c=Multiply-1(b,scale)
            d=Reshape-1(c,shape){special_zero=false}
            y=MatMul-1(x,d){transpose_a=false;transpose_b=true}
            return y

        decompression-Gather: rows of compressed weights
            i=i32[2,3]:0,4,1,2,2,3
            const w=u8[5,8]~1
            const zero=f32[5,1]:7
            const scale=f32[5,1]+3
            const axis=i64[]:0
            a=Convert-1(w){destination_type=f32}
            b=Subtract-1(a,zero)
            c=Multiply-1(b,scale)
            y=Gather-8(c,i,axis){batch_dims=0}
            return y

        decompression-f16: convert(w) of f16 weights, before MatMul
            x=f32[2,3,8]
            const w=f16[5,8]~1
            a=Convert-1(w){destination_type=f32}
            y=MatMul-1(x,a){transpose_a=false;transpose_b=true}
            return y
        """,
    ),
]
