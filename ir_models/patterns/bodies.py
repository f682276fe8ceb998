"""Conditions and loops around layers, between layers that a device may join with those inside."""

from ir_models.patterns.pattern import FEW, read_patterns

BODIES = read_patterns(
    """
    If-sum-difference: x + z or x - z by a condition at run time, between layers
        x=f32[2,3,4]
        z=f32[2,3,4]~1
        c=boolean[]
        const s=f32[]:0.5
        a=Multiply-1(x,s)
        b=If-8(c,a,z){then_body=add;else_body=subtract}
        y=ReLU-1(b)
        return y

    If-two-outputs: two outputs of each branch, of which one is compared
        x=f32[2,3,4]
        z=f32[2,3,4]~1
        c=boolean[1]
        a=ReLU-1(x)
        b=If-8(c,a,z){then_body=sum_and_less;else_body=difference_and_greater}
        y=Select-1(b:1,b,z)
        return y

    If-of-shape: a condition that the shape of data decides
        x=f32[2,3,4]
        z=f32[2,3,4]~1
        const first=i64[]:0
        const two=i64[]:2
        s=ShapeOf-3(x){output_type=i64}
        g=Gather-8(s,first,first){batch_dims=0}
        c=Equal-1(g,two)
        b=If-8(c,x,z){then_body=add;else_body=first}
        y=Negative-1(b)
        return y

    Loop-sum: a sum of slices, each of which is a result
        x=f32[2,3,4]
        z=f32[1,3,4]~1
        const count=i64[]:2
        const goes=boolean[]:true
        const s=f32[]:0.5
        a=Multiply-1(x,s)
        b=Loop-5(count,goes,z,a){body=accumulate;axis=0;output_axis=0}
        y=Add-1(b:1,b)
        return y

    Loop-until: a loop that ends by the number of its iteration, as many times as is given at run time
        x=f32[1,3,4]
        z=f32[1,3,4]~1
        count=i64[]:4
        const goes=boolean[]:true
        a=ReLU-1(x)
        b=Loop-5(count,goes,z,a){body=until;output_axis=0}
        y=Negative-1(b)
        return y,b:1

    Loop-of-a-layer: a loop whose first state a layer gives, and whose last one a layer takes
        x=f32[1,3,4]
        z=f32[1,3,4]~1
        const count=i64[]:3
        const goes=boolean[]:true
        a=Sigmoid-1(z)
        b=Loop-5(count,goes,a,x){body=until;output_axis=0}
        y=ReLU-1(b)
        return y,b:1

    TensorIterator-sum: a sum of slices backwards, of a Transpose
        x=f32[3,2,4]
        z=f32[2,1,4]~1
        const order=i64[3]:1,0,2
        a=Transpose-1(x,order)
        b=TensorIterator-1(a,z){body=accumulate;axis=1;start=-1;end=0;stride=-1;output_axis=1;output_stride=-1}
        y=ReLU-1(b:1)
        return y,b

    TensorIterator-LSTM: LSTMSequence as a loop of Reshape, LSTMCell, Reshape
        x=f32[3,2,4]
        h=f32[2,5]~1
        c=f32[2,5]~2
        const order=i64[3]:1,0,2
        a=Transpose-1(x,order)
        b=TensorIterator-1(a,h,c){body=lstm;axis=1;output_axis=1}
        y=Transpose-1(b:1,order)
        return y,b

    TensorIterator-LSTM-reverse: the same, backwards
        x=f32[2,3,4]
        h=f32[2,5]~1
        c=f32[2,5]~2
        b=TensorIterator-1(x,h,c){body=lstm;axis=1;start=-1;end=0;stride=-1;output_axis=1;output_stride=-1}
        y=ReLU-1(b:1)
        return y,b
    """,
    crossings=FEW,
)
