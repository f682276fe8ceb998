"""Layers that move data, in pairs that cancel, join or pass each other."""

from ir_models.patterns.pattern import read_patterns

MOVEMENTS = read_patterns(
    """
    Transpose-Transpose: two orders that may cancel
        x=f32[2,3,4]
        const one=i64[3]:1,2,0
        const two=i64[3]:2,0,1
        a=Transpose-1(x,one)
        y=Transpose-1(a,two)
        return y

    Reshape-Transpose-Reshape: DepthToSpace-1 as its page has it
        x=f32[2,8,3,5]
        const apart=i64[6]:2,2,2,2,3,5
        const order=i64[6]:0,3,4,1,5,2
        const joined=i64[4]:2,2,6,10
        a=Reshape-1(x,apart){special_zero=false}
        b=Transpose-1(a,order)
        y=Reshape-1(b,joined){special_zero=false}
        return y

    Reshape-Transpose-Reshape-channels: ShuffleChannels-1 as its page has it
        x=f32[2,6,3,5]
        const apart=i64[4]:2,2,3,15
        const order=i64[4]:0,2,1,3
        const joined=i64[4]:2,6,3,5
        a=Reshape-1(x,apart){special_zero=false}
        b=Transpose-1(a,order)
        y=Reshape-1(b,joined){special_zero=false}
        return y

    Reshape-Reshape: two shapes of which the second one counts
        x=f32[2,3,4]
        const one=i64[2]:6,4
        const two=i64[3]:0,-1,2
        a=Reshape-1(x,one){special_zero=false}
        y=Reshape-1(a,two){special_zero=true}
        return y

    Squeeze-Unsqueeze: a dimension of 1 that goes and comes back
        x=f32[2,1,3,4]
        const one=i64[1]:1
        const two=i64[1]:2
        a=Squeeze-1(x,one)
        y=Unsqueeze-1(a,two)
        return y

    Transpose-Add: a Transpose that moves behind a layer with a constant
        x=f32[2,3,4]
        const order=i64[3]:0,2,1
        const b=f32[4,1]~1
        a=Transpose-1(x,order)
        y=Add-1(a,b)
        return y

    Transpose-ReduceMean: a Transpose that moves behind a reduction
        x=f32[2,3,4]
        const order=i64[3]:2,0,1
        const axes=i64[1]:1
        a=Transpose-1(x,order)
        y=ReduceMean-1(a,axes){keep_dims=true}
        return y

    ReduceSum-Reshape: a reduction whose dimensions a Reshape gives back
        x=f32[2,3,4]
        const axes=i64[1]:1
        const shape=i64[3]:2,1,4
        a=ReduceSum-1(x,axes){keep_dims=false}
        y=Reshape-1(a,shape){special_zero=false}
        return y

    ReduceMax-ReduceMax: two reductions that may be one
        x=f32[2,3,4]
        const one=i64[1]:2
        const two=i64[1]:1
        a=ReduceMax-1(x,one){keep_dims=true}
        y=ReduceMax-1(a,two){keep_dims=true}
        return y

    ReduceMean-pool: a mean of all positions, which may become a pooling
        x=f32[2,3,4,5]
        const axes=i64[2]:2,3
        const s=f32[1,3,1,1]~1
        a=ReduceMean-1(x,axes){keep_dims=true}
        y=Multiply-1(a,s)
        return y

    Split-Concat: parts that are joined again in another order
        x=f32[2,6,4]
        const axis=i64[]:1
        a=Split-1(x,axis){num_splits=3}
        y=Concat-1(a:1,a,a:2){axis=1}
        return y

    Split-Multiply-Concat: one part is changed between Split and Concat
        x=f32[2,6,4]
        const axis=i64[]:1
        const s=f32[]:3
        a=Split-1(x,axis){num_splits=2}
        b=Multiply-1(a,s)
        y=Concat-1(b,a:1){axis=1}
        return y

    Concat-Split: parts that are joined and cut again
        x=f32[2,3,4]
        z=f32[2,3,4]~1
        const axis=i64[]:1
        a=Concat-1(x,z){axis=1}
        b=Split-1(a,axis){num_splits=2}
        y=Subtract-1(b,b:1)
        return y,b:1

    Concat-StridedSlices: parts of one element that are joined and cut again, all results
        x=f32[1,1]
        z=f32[1,1]~1
        u=f32[1,1]~2
        const zero=i64[2]:0,0
        const one=i64[2]:0,1
        const three=i64[2]:0,3
        const ones=i64[2]:1,1
        a=Concat-1(x,z,u){axis=1}
        b=StridedSlice-1(a,zero,one,ones){begin_mask=1,0;end_mask=1,0}
        c=StridedSlice-1(a,one,three,ones){begin_mask=1,0;end_mask=1,0}
        return b,c

    Split-move-Add: parts of one tensor that pass a Transpose each and meet again
        x=f32[2,6,4]
        const axis=i64[]:1
        const order=i64[3]:0,2,1
        a=Split-1(x,axis){num_splits=2}
        b=Transpose-1(a,order)
        c=Transpose-1(a:1,order)
        y=Add-1(b,c)
        return y,a:1

    Select-Convert: a tensor where its own Convert to boolean says so
        x=f32[2,3,4]
        const s=f32[1,3,1]~1
        const other=f32[]:-1.5
        r=ReLU-1(x)
        c=Convert-1(r){destination_type=boolean}
        a=Multiply-1(r,s)
        y=Select-1(c,a,other)
        return y

    Slices-Concat: Split as slices
        x=f32[2,6,4]
        const zero=i64[1]:0
        const two=i64[1]:2
        const six=i64[1]:6
        const one=i64[1]:1
        a=Slice-8(x,zero,two,one,one)
        b=Slice-8(x,two,six,one,one)
        c=ReLU-1(a)
        y=Concat-1(b,c){axis=1}
        return y

    Gather-Gather: two choices that may be one
        x=f32[4,5,3]
        const i=i64[3]:2,0,3
        const j=i64[2]:1,2
        const axis=i64[]:0
        a=Gather-8(x,i,axis){batch_dims=0}
        y=Gather-8(a,j,axis){batch_dims=0}
        return y

    Gather-Squeeze: one element of an axis
        x=f32[4,5,3]
        const i=i64[1]:2
        const axis=i64[]:1
        const axes=i64[1]:1
        a=Gather-8(x,i,axis){batch_dims=0}
        y=Squeeze-1(a,axes)
        return y

    Convert-Convert: a narrow type that rounds
        x=f32[2,3,4]
        a=Convert-1(x){destination_type=f16}
        y=Convert-1(a){destination_type=f32}
        return y

    Convert-i32-Convert: a conversion that cuts fractions off
        x=f32[2,3,4]
        const s=f32[]:1.5
        a=Convert-1(x){destination_type=i32}
        b=Convert-1(a){destination_type=f32}
        y=Multiply-1(b,s)
        return y

    ShapeOf-Reshape: a shape that is computed from another one
        x=f32[2,3,4]
        const i=i64[1]:0
        const axis=i64[]:0
        const rest=i64[1]:-1
        s=ShapeOf-3(x){output_type=i64}
        g=Gather-8(s,i,axis){batch_dims=0}
        c=Concat-1(g,rest){axis=0}
        y=Reshape-1(x,c){special_zero=false}
        return y

    Multiply-Multiply: two constants that may be one
        x=f32[2,3,4]
        const s=f32[1,3,1]~1
        const t=f32[]:0.5
        a=Multiply-1(x,s)
        y=Multiply-1(a,t)
        return y

    Add-Multiply-Add: two shifts around a scale
        x=f32[2,3,4]
        const p=f32[4]~1
        const s=f32[1,3,1]~2
        const q=f32[]:0.5
        a=Add-1(x,p)
        b=Multiply-1(a,s)
        y=Add-1(b,q)
        return y

    Subtract-Divide: a shift and a quotient
        x=f32[2,3,4]
        const p=f32[]:1.5
        const q=f32[4]+2
        a=Subtract-1(x,p)
        y=Divide-1(a,q)
        return y

    Reshape-MatMul: a Reshape that MatMul takes in
        x=f32[2,3,4]
        const shape=i64[2]:-1,4
        const w=f32[4,5]~1
        const back=i64[3]:2,3,5
        a=Reshape-1(x,shape){special_zero=false}
        b=MatMul-1(a,w){transpose_a=false;transpose_b=false}
        y=Reshape-1(b,back){special_zero=false}
        return y

    attention: softmax(q · kᵀ · scale + mask) · v
        q=f32[2,3,4]
        k=f32[2,5,4]~1
        v=f32[2,5,6]~2
        const scale=f32[]:0.5
        const mask=f32[3,5]~3
        a=MatMul-1(q,k){transpose_a=false;transpose_b=true}
        b=Multiply-1(a,scale)
        c=Add-1(b,mask)
        d=SoftMax-8(c){axis=-1}
        y=MatMul-1(d,v){transpose_a=false;transpose_b=false}
        return y
    """,
)
