"""The shape of one tensor steers what is done to another one; conversions; blocks around a convolution."""

from ir_models.patterns.pattern import FEW, read_patterns

SHAPES = read_patterns(
    """
    ShapeOf-other-Reshape: the shape of another tensor
        x=f32[2,12]
        z=f32[2,3,4]~1
        s=ShapeOf-3(z){output_type=i64}
        a=Reshape-1(x,s){special_zero=false}
        y=Add-1(a,z)
        return y

    ShapeOf-Broadcast: a row as large as another tensor
        x=f32[3,1]
        z=f32[2,3,4]~1
        s=ShapeOf-3(z){output_type=i32}
        a=Broadcast-3(x,s){mode=numpy}
        y=Multiply-1(z,a)
        return y,a

    ShapeOf-Slice: the first rows, as many as another tensor has
        x=f32[6,4]
        z=f32[2,3,4]~1
        const one=i64[1]:1
        const zero=i64[1]:0
        const axis=i64[]:0
        s=ShapeOf-3(z){output_type=i64}
        n=Gather-8(s,one,axis){batch_dims=0}
        a=Slice-8(x,zero,n,one,zero)
        y=Add-1(z,a)
        return y

    ShapeOf-Range-Gather: as many positions as another tensor has rows
        x=f32[6,4]
        z=f32[2,3,4]~1
        const i=i64[]:1
        const axis=i64[]:0
        const zero=i64[]:0
        s=ShapeOf-3(z){output_type=i64}
        n=Gather-8(s,i,axis){batch_dims=0}
        r=Range-4(zero,n,i){output_type=i64}
        a=Gather-8(x,r,axis){batch_dims=0}
        y=Add-1(z,a)
        return y

    ShapeOf-flatten: the first dimension, and the product of the others
        x=f32[2,3,4,5]
        const zero=i64[1]:0
        const one=i64[1]:1
        const end=i64[1]:100
        const axes=i64[1]:0
        s=ShapeOf-3(x){output_type=i64}
        a=Slice-8(s,zero,one,one)
        b=Slice-8(s,one,end,one)
        c=ReduceProd-1(b,axes){keep_dims=true}
        d=Concat-1(a,c){axis=0}
        y=Reshape-1(x,d){special_zero=true}
        return y

    ShapeOf-Interpolate: twice the sizes, computed as numbers and back
        x=f32[2,3,4,5]
        const i=i64[2]:2,3
        const axis=i64[]:0
        const two=f32[]:2
        const axes=i64[2]:2,3
        s=ShapeOf-3(x){output_type=i64}
        g=Gather-8(s,i,axis){batch_dims=0}
        a=Convert-1(g){destination_type=f32}
        b=Multiply-1(a,two)
        c=Floor-1(b)
        d=Convert-1(c){destination_type=i64}
        y=Interpolate-11(x,d,axes){mode=linear_onnx;shape_calculation_mode=sizes;coordinate_transformation_mode=asymmetric}
        return y

    ShapeOf-Tile: a row repeated as often as another tensor has rows
        x=f32[1,4]
        z=f32[3,4]~1
        const i=i64[1]:0
        const axis=i64[]:0
        const one=i64[1]:1
        s=ShapeOf-3(z){output_type=i64}
        g=Gather-8(s,i,axis){batch_dims=0}
        c=Concat-1(g,one){axis=0}
        a=Tile-1(x,c)
        y=Subtract-1(z,a)
        return y

    Convert-boolean-Convert: numbers that are not 0
        x=f32[2,3,4]
        const s=f32[]:2.5
        a=Convert-1(x){destination_type=boolean}
        b=Convert-1(a){destination_type=f32}
        y=Multiply-1(b,s)
        return y

    Convert-wide-Convert: 8 bits that are computed in 32 and cut again
        x=u8[2,3,4]
        const s=i32[]:3
        const q=i32[]:1
        a=Convert-1(x){destination_type=i32}
        b=Multiply-1(a,s)
        c=Add-1(b,q)
        y=Convert-1(c){destination_type=u8}
        return y

    Convert-i64-i32: a narrower integer between two conversions
        x=i64[2,3,4]
        a=Convert-1(x){destination_type=i32}
        b=Negative-1(a)
        c=Convert-1(b){destination_type=i64}
        y=Convert-1(c){destination_type=f32}
        return y

    Convert-f16-MatMul: data and weights of f16 computed in f32, and back
        x=f16[2,3,4]
        const w=f16[5,4]~1
        a=Convert-1(x){destination_type=f32}
        b=Convert-1(w){destination_type=f32}
        c=MatMul-1(a,b){transpose_a=false;transpose_b=true}
        y=Convert-1(c){destination_type=f16}
        return y

    SpaceToBatch-Convolution-BatchToSpace: a convolution whose kernel has gaps
        x=f32[2,3,6,8]
        const block=i64[4]:1,1,2,2
        const begin=i64[4]:0,0,2,2
        const end=i64[4]:0,0,2,2
        const crops=i64[4]:0,0,0,0
        const cut=i64[4]:0,0,0,2
        const w=f32[4,3,2,2]~1
        a=SpaceToBatch-2(x,block,begin,end)
        b=Convolution-1(a,w){strides=1,1;pads_begin=0,0;pads_end=0,0;dilations=1,1;auto_pad=explicit}
        y=BatchToSpace-2(b,block,crops,cut)
        return y

    Reshape-Transpose-Reshape-depth: SpaceToDepth-1 as its page has it, depth first
        x=f32[2,3,6,10]
        const apart=i64[6]:2,3,3,2,5,2
        const order=i64[6]:0,1,3,5,2,4
        const joined=i64[4]:2,12,3,5
        a=Reshape-1(x,apart){special_zero=false}
        b=Transpose-1(a,order)
        y=Reshape-1(b,joined){special_zero=false}
        return y
    """,
    crossings=FEW,
)
