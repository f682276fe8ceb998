"""Recurrent cells written out in elementary layers, and two steps of one."""

from ir_models.patterns.pattern import FEW, read_patterns

RECURRENCES = read_patterns(
    """
    LSTM-joint: LSTMCell-4: one product of weights with x and h joined, gates f, i, c, o by Split
        x=f32[2,3]
        h=f32[2,4]~1
        c=f32[2,4]~2
        const w=f32[16,7]~3
        const b=f32[16]~4
        const axis=i64[]:1
        a=Concat-1(x,h){axis=1}
        d=MatMul-1(a,w){transpose_a=false;transpose_b=true}
        e=Add-1(d,b)
        s=Split-1(e,axis){num_splits=4}
        f=Sigmoid-1(s)
        i=Sigmoid-1(s:1)
        g=Tanh-1(s:2)
        o=Sigmoid-1(s:3)
        k=Multiply-1(f,c)
        l=Multiply-1(i,g)
        new=Add-1(k,l)
        t=Tanh-1(new)
        y=Multiply-1(o,t)
        return y,new

    LSTM-forget: LSTMCell-4 with a number added to the forget gate, gates i, c, f, o
        x=f32[2,3]
        h=f32[2,4]~1
        c=f32[2,4]~2
        const w=f32[7,16]~3
        const b=f32[16]~4
        const one=f32[]:1
        const axis=i64[]:1
        a=Concat-1(x,h){axis=1}
        d=MatMul-1(a,w){transpose_a=false;transpose_b=false}
        e=Add-1(d,b)
        s=Split-1(e,axis){num_splits=4}
        p=Add-1(s:2,one)
        f=Sigmoid-1(p)
        i=Sigmoid-1(s)
        g=Tanh-1(s:1)
        o=Sigmoid-1(s:3)
        k=Multiply-1(f,c)
        l=Multiply-1(i,g)
        new=Add-1(k,l)
        t=Tanh-1(new)
        y=Multiply-1(t,o)
        return y,new

    LSTM-apart: LSTMCell-4: products of weights with x and with h, gates by slices
        x=f32[2,3]
        h=f32[2,4]~1
        c=f32[2,4]~2
        const w=f32[16,3]~3
        const r=f32[16,4]~4
        const b=f32[1,16]~5
        const axis=i64[]:1
        const lengths=i64[4]:4,4,4,4
        a=MatMul-1(x,w){transpose_a=false;transpose_b=true}
        d=MatMul-1(h,r){transpose_a=false;transpose_b=true}
        m=Add-1(a,d)
        e=Add-1(m,b)
        s=VariadicSplit-1(e,axis,lengths)
        f=Sigmoid-1(s)
        i=Sigmoid-1(s:1)
        g=Tanh-1(s:2)
        o=Sigmoid-1(s:3)
        k=Multiply-1(c,f)
        l=Multiply-1(g,i)
        new=Add-1(k,l)
        t=Tanh-1(new)
        y=Multiply-1(o,t)
        return y,new

    GRU: GRUCell-3: (1 - z) · tanh(w · (x, r · h) + b) + z · h
        x=f32[2,3]
        h=f32[2,4]~1
        const w=f32[8,7]~2
        const b=f32[1,8]~3
        const v=f32[4,7]~4
        const p=f32[1,4]~5
        const one=f32[1,1]:1
        const axis=i64[]:1
        a=Concat-1(x,h){axis=1}
        d=MatMul-1(a,w){transpose_a=false;transpose_b=true}
        e=Add-1(d,b)
        f=Sigmoid-1(e)
        s=Split-1(f,axis){num_splits=2}
        g=Multiply-1(s,h)
        i=Concat-1(x,g){axis=1}
        j=MatMul-1(i,v){transpose_a=false;transpose_b=true}
        k=Add-1(j,p)
        n=Tanh-1(k)
        l=Subtract-1(one,s:1)
        m=Multiply-1(n,l)
        o=Multiply-1(s:1,h)
        y=Add-1(m,o)
        return y

    AUGRU: AUGRUCell: GRUCell-3 whose update gate z is multiplied by 1 - a, where a is the attention score
        x=f32[2,3]
        h=f32[2,4]~1
        a=f32[2,1]~2
        const w=f32[8,7]~3
        const b=f32[1,8]~4
        const v=f32[4,7]~5
        const p=f32[1,4]~6
        const one=f32[1,1]:1
        const axis=i64[]:1
        c=Concat-1(x,h){axis=1}
        d=MatMul-1(c,w){transpose_a=false;transpose_b=true}
        e=Add-1(d,b)
        f=Sigmoid-1(e)
        s=Split-1(f,axis){num_splits=2}
        g=Multiply-1(s,h)
        i=Concat-1(x,g){axis=1}
        j=MatMul-1(i,v){transpose_a=false;transpose_b=true}
        k=Add-1(j,p)
        n=Tanh-1(k)
        q=Subtract-1(one,a)
        z=Multiply-1(q,s:1)
        l=Subtract-1(one,z)
        m=Multiply-1(l,n)
        o=Multiply-1(z,h)
        y=Add-1(o,m)
        return y

    LSTM-twice: two steps of LSTMCell-4, weights shared, outputs joined
        x=f32[2,2,3]
        h=f32[2,4]~1
        c=f32[2,4]~2
        const w=f32[16,3]~3
        const r=f32[16,4]~4
        const b=f32[16]~5
        const axis=i64[]:1
        const one=i64[1]:1
        s=Split-1(x,axis){num_splits=2}
        p=Squeeze-1(s,one)
        q=Squeeze-1(s:1,one)
        f=LSTMCell-4(p,h,c,w,r,b){hidden_size=4}
        g=LSTMCell-4(q,f,f:1,w,r,b){hidden_size=4}
        i=Unsqueeze-1(f,one)
        j=Unsqueeze-1(g,one)
        y=Concat-1(i,j){axis=1}
        return y,g:1
    """,
    crossings=FEW,
)
