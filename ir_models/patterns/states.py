"""Variables: layers that read what an earlier inference has set."""

from ir_models.patterns.pattern import FEW, read_patterns

STATES = read_patterns(
    """
    state-sum: a sum over inferences, and what was read before
        x=f32[2,3,4]
        const zero=f32[2,3,4]:0.5
        const s=f32[]:0.5
        r=ReadValue-6(zero){variable_id=sum;variable_type=f32;variable_shape=2,3,4}
        a=Add-1(r,x)
        set=Assign-6(a){variable_id=sum}
        y=Multiply-1(a,s)
        return y,r

    state-zeros: a variable without an initial value, which a layer changes behind the layer that sets it
        x=f32[2,3,4]
        r=ReadValue-6(){variable_id=last;variable_type=f32;variable_shape=2,3,4}
        a=Multiply-1(r,x)
        b=Subtract-1(x,a)
        set=Assign-6(b){variable_id=last}
        y=ReLU-1(b)
        return y

    state-exchange: two variables, each set to what the other one held
        x=f32[2,3,4]
        const one=f32[2,3,4]:1
        const two=f32[2,3,4]:2
        p=ReadValue-6(one){variable_id=a;variable_type=f32;variable_shape=2,3,4}
        q=ReadValue-6(two){variable_id=b;variable_type=f32;variable_shape=2,3,4}
        c=Add-1(p,x)
        setp=Assign-6(q){variable_id=a}
        setq=Assign-6(c){variable_id=b}
        y=Subtract-1(c,q)
        return y,p

    state-Reshape: a variable that is set to its own values in place, beside a Reshape of them
        x=f32[2,3,4]
        const zero=f32[2,12]:1
        const flat=i64[2]:2,12
        const back=i64[3]:2,3,4
        r=ReadValue-6(zero){variable_id=a;variable_type=f32;variable_shape=2,12}
        u=Reshape-1(r,back){special_zero=false}
        v=Add-1(u,x)
        w=Reshape-1(v,flat){special_zero=false}
        set=Assign-6(w){variable_id=a}
        y=ReLU-1(u)
        return y,w

    state-joined: a variable that grows, and a sum over all that it has had
        x=f32[1,3,4]
        const none=f32[0,3,4]
        const axes=i64[1]:0
        r=ReadValue-6(none){variable_id=a;variable_type=dynamic;variable_shape=-1,3,4}
        j=Concat-1(r,x){axis=0}
        set=Assign-6(j){variable_id=a}
        y=ReduceSum-1(j,axes){keep_dims=false}
        return y
    """,
    crossings=FEW,
)
