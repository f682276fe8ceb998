"""Attention written out, with masks and with keys and values of earlier tokens; rotary embeddings (RoPE)."""

from ir_models.patterns.pattern import FEW, read_patterns

ATTENTION = read_patterns(
    """
    RoPE-halves: x · cos + (-second half, first half) · sin
        x=f32[2,3,5,8]
        const cos=f32[1,1,5,8]~1
        const sin=f32[1,1,5,8]~2
        const zero=i64[1]:0
        const four=i64[1]:4
        const eight=i64[1]:8
        const one=i64[1]:1
        const axis=i64[1]:3
        const minus=f32[]:-1
        p=Slice-8(x,zero,four,one,axis)
        q=Slice-8(x,four,eight,one,axis)
        n=Multiply-1(q,minus)
        r=Concat-1(n,p){axis=-1}
        a=Multiply-1(x,cos)
        b=Multiply-1(r,sin)
        y=Add-1(a,b)
        return y

    RoPE-split: RoPE of halves that Split gives, cos and sin at run time
        x=f32[2,3,5,8]
        cos=f32[1,1,5,8]~1
        sin=f32[1,1,5,8]~2
        const axis=i64[]:3
        const lengths=i64[2]:4,4
        p=VariadicSplit-1(x,axis,lengths)
        n=Negative-1(p:1)
        r=Concat-1(n,p){axis=-1}
        a=Multiply-1(x,cos)
        b=Multiply-1(r,sin)
        y=Add-1(a,b)
        return y

    RoPE-partial: RoPE of the first numbers of each head, the others stay
        x=f32[2,3,5,10]
        const cos=f32[1,1,5,6]~1
        const sin=f32[1,1,5,6]~2
        const axis=i64[]:3
        const lengths=i64[2]:6,4
        const parts=i64[2]:3,3
        const minus=f32[]:-1
        s=VariadicSplit-1(x,axis,lengths)
        p=VariadicSplit-1(s,axis,parts)
        n=Multiply-1(p:1,minus)
        r=Concat-1(n,p){axis=-1}
        a=Multiply-1(s,cos)
        b=Multiply-1(r,sin)
        c=Add-1(a,b)
        y=Concat-1(c,s:1){axis=-1}
        return y

    RoPE-interleaved: x · cos + (-x1, x0, -x3, x2, ...) · sin
        x=f32[2,5,3,8]
        const cos=f32[1,5,1,8]~1
        const sin=f32[1,5,1,8]~2
        const pairs=i64[5]:0,0,0,-1,2
        const axis=i64[]:-1
        const minus=f32[]:-1
        const back=i64[4]:0,0,0,8
        a=Reshape-1(x,pairs){special_zero=true}
        s=Split-1(a,axis){num_splits=2}
        n=Multiply-1(s:1,minus)
        r=Concat-1(n,s){axis=-1}
        t=Reshape-1(r,back){special_zero=true}
        c=Multiply-1(x,cos)
        d=Multiply-1(t,sin)
        y=Add-1(c,d)
        return y

    RoPE-interleaved-slices: RoPE of even and odd numbers that slices with a step of 2 take
        x=f32[2,5,3,8]
        const cos=f32[1,5,1,8]~1
        const sin=f32[1,5,1,8]~2
        const zero=i64[1]:0
        const one=i64[1]:1
        const end=i64[1]:8
        const two=i64[1]:2
        const axis=i64[1]:3
        const last=i64[1]:-1
        const back=i64[4]:2,5,3,8
        p=Slice-8(x,zero,end,two,axis)
        q=Slice-8(x,one,end,two,axis)
        n=Negative-1(q)
        e=Unsqueeze-1(n,last)
        f=Unsqueeze-1(p,last)
        r=Concat-1(e,f){axis=-1}
        t=Reshape-1(r,back){special_zero=false}
        c=Multiply-1(x,cos)
        d=Multiply-1(t,sin)
        y=Add-1(c,d)
        return y

    RoPE-positions: cos and sin of positions · frequencies, and RoPE by them
        x=f32[2,3,5,8]
        p=i64[2,5]#
        const frequencies=f32[1,4,1]:1,0.5,0.25,0.125
        const one=i64[1]:1
        const order=i64[3]:0,2,1
        const axis=i64[]:3
        const lengths=i64[2]:4,4
        a=Convert-1(p){destination_type=f32}
        b=Unsqueeze-1(a,one)
        c=MatMul-1(frequencies,b){transpose_a=false;transpose_b=false}
        d=Transpose-1(c,order)
        e=Concat-1(d,d){axis=-1}
        f=Cos-1(e)
        g=Sin-1(e)
        h=Unsqueeze-1(f,one)
        i=Unsqueeze-1(g,one)
        s=VariadicSplit-1(x,axis,lengths)
        n=Negative-1(s:1)
        r=Concat-1(n,s){axis=-1}
        k=Multiply-1(x,h)
        l=Multiply-1(r,i)
        y=Add-1(k,l)
        return y

    attention-Select: softmax(mask ? scale · q · kᵀ : low) · v, heads apart
        q=f32[2,3,4,8]
        k=f32[2,3,5,8]~1
        v=f32[2,3,5,6]~2
        mask=boolean[2,1,4,5]
        const scale=f32[]:0.5
        const low=f32[]:-1000
        const order=i64[4]:0,1,3,2
        t=Transpose-1(k,order)
        a=MatMul-1(q,t){transpose_a=false;transpose_b=false}
        b=Multiply-1(a,scale)
        c=Select-1(mask,b,low)
        d=SoftMax-8(c){axis=-1}
        y=MatMul-1(d,v){transpose_a=false;transpose_b=false}
        return y

    attention-causal: a mask computed of the positions of queries and keys
        q=f32[2,4,8]
        k=f32[2,5,8]~1
        v=f32[2,5,6]~2
        i=i64[4,1]#
        j=i64[1,5]#
        const low=f32[4,5]:-1000
        const none=f32[]:0
        g=Greater-1(j,i)
        m=Select-1(g,low,none)
        a=MatMul-1(q,k){transpose_a=false;transpose_b=true}
        c=Add-1(a,m)
        d=SoftMax-8(c){axis=-1}
        y=MatMul-1(d,v){transpose_a=false;transpose_b=false}
        return y

    attention-scaled-keys: q / √d, keys transposed by MatMul, heads moved behind
        q=f32[2,4,3,8]
        k=f32[2,5,3,8]~1
        v=f32[2,5,3,6]~2
        const root=f32[]:2.828427
        const order=i64[4]:0,2,1,3
        const back=i64[3]:0,0,-1
        s=Transpose-1(q,order)
        t=Transpose-1(k,order)
        u=Transpose-1(v,order)
        r=Divide-1(s,root)
        a=MatMul-1(r,t){transpose_a=false;transpose_b=true}
        d=SoftMax-8(a){axis=-1}
        b=MatMul-1(d,u){transpose_a=false;transpose_b=false}
        w=Transpose-1(b,order)
        y=Reshape-1(w,back){special_zero=true}
        return y

    attention-cache: keys and values of earlier tokens joined with new ones; both are results as well
        q=f32[2,3,1,8]
        k=f32[2,3,1,8]~1
        v=f32[2,3,1,6]~2
        oldk=f32[2,3,4,8]~3
        oldv=f32[2,3,4,6]~4
        mask=f32[2,1,1,5]~5
        const scale=f32[]:0.5
        kk=Concat-1(oldk,k){axis=2}
        vv=Concat-1(oldv,v){axis=2}
        a=MatMul-1(q,kk){transpose_a=false;transpose_b=true}
        b=Multiply-1(a,scale)
        c=Add-1(b,mask)
        d=SoftMax-8(c){axis=-1}
        y=MatMul-1(d,vv){transpose_a=false;transpose_b=false}
        return y,kk,vv

    attention-layer-cache: ScaledDotProductAttention-13 behind joined keys and values, its output moved
        q=f32[2,3,1,8]
        k=f32[2,3,1,8]~1
        v=f32[2,3,1,8]~2
        oldk=f32[2,3,4,8]~3
        oldv=f32[2,3,4,8]~4
        mask=f32[2,1,1,5]~5
        const order=i64[4]:0,2,1,3
        kk=Concat-1(oldk,k){axis=-2}
        vv=Concat-1(oldv,v){axis=-2}
        a=ScaledDotProductAttention-13(q,kk,vv,mask){causal=false}
        y=Transpose-1(a,order)
        return y,kk,vv

    attention-state: keys and values of earlier inferences in variables that grow
        q=f32[2,3,1,8]
        k=f32[2,3,1,8]~1
        v=f32[2,3,1,8]~2
        const none=f32[2,3,0,8]
        const nothing=f32[2,3,0,8]
        const scale=f32[]:0.5
        oldk=ReadValue-6(none){variable_id=keys;variable_type=f32;variable_shape=2,3,-1,8}
        oldv=ReadValue-6(nothing){variable_id=values;variable_type=f32;variable_shape=2,3,-1,8}
        kk=Concat-1(oldk,k){axis=2}
        vv=Concat-1(oldv,v){axis=2}
        setk=Assign-6(kk){variable_id=keys}
        setv=Assign-6(vv){variable_id=values}
        a=MatMul-1(q,kk){transpose_a=false;transpose_b=true}
        b=Multiply-1(a,scale)
        d=SoftMax-8(b){axis=-1}
        y=MatMul-1(d,vv){transpose_a=false;transpose_b=false}
        return y

    attention-layer-state: ScaledDotProductAttention-13 of keys and values in variables that grow, reordered by Gather
        q=f32[2,3,1,8]
        k=f32[2,3,1,8]~1
        v=f32[2,3,1,8]~2
        beam=i32[2]:1,0
        const axis=i64[]:0
        const none=f32[2,3,0,8]
        const nothing=f32[2,3,0,8]
        oldk=ReadValue-6(none){variable_id=keys;variable_type=f32;variable_shape=2,3,-1,8}
        oldv=ReadValue-6(nothing){variable_id=values;variable_type=f32;variable_shape=2,3,-1,8}
        pk=Gather-8(oldk,beam,axis){batch_dims=0}
        pv=Gather-8(oldv,beam,axis){batch_dims=0}
        kk=Concat-1(pk,k){axis=2}
        vv=Concat-1(pv,v){axis=2}
        setk=Assign-6(kk){variable_id=keys}
        setv=Assign-6(vv){variable_id=values}
        y=ScaledDotProductAttention-13(q,kk,vv){causal=false}
        return y

    attention-groups: several queries for each head of keys: Unsqueeze, Broadcast, Reshape
        q=f32[2,6,4,8]
        k=f32[2,3,5,8]~1
        v=f32[2,3,5,8]~2
        const two=i64[1]:2
        const wide=i64[5]:1,1,2,1,1
        const heads=i64[4]:0,6,5,8
        kk=Unsqueeze-1(k,two)
        vv=Unsqueeze-1(v,two)
        kb=Broadcast-3(kk,wide){mode=bidirectional}
        vb=Broadcast-3(vv,wide){mode=bidirectional}
        kr=Reshape-1(kb,heads){special_zero=true}
        vr=Reshape-1(vb,heads){special_zero=true}
        y=ScaledDotProductAttention-13(q,kr,vr){causal=true}
        return y
    """,
    crossings=FEW,
)
