"""Normalizations written out: the formulas of their pages in elementary layers."""

from ir_models.patterns.pattern import read_patterns

NORMALIZATIONS = read_patterns(
    """
    SoftMax: SoftMax-8: exp(x - max) / Σ exp(x - max)
        x=f32[2,3,4]
        const axes=i64[1]:2
        m=ReduceMax-1(x,axes){keep_dims=true}
        d=Subtract-1(x,m)
        e=Exp-1(d)
        s=ReduceSum-1(e,axes){keep_dims=true}
        y=Divide-1(e,s)
        return y

    LogSoftmax: LogSoftmax-5: (x - max) - ln Σ exp(x - max)
        x=f32[2,3,4]
        const axes=i64[1]:2
        m=ReduceMax-1(x,axes){keep_dims=true}
        d=Subtract-1(x,m)
        e=Exp-1(d)
        s=ReduceSum-1(e,axes){keep_dims=true}
        l=Log-1(s)
        y=Subtract-1(d,l)
        return y

    NormalizeL2-add: NormalizeL2-1: x / √(Σ x² + eps)
        x=f32[2,3,4]
        const two=f32[]:2
        const axes=i64[1]:1
        const eps=f32[]:0.01
        const half=f32[]:0.5
        a=Power-1(x,two)
        b=ReduceSum-1(a,axes){keep_dims=true}
        c=Add-1(b,eps)
        d=Power-1(c,half)
        y=Divide-1(x,d)
        return y

    NormalizeL2-max: NormalizeL2-1: x / max(√Σ x², eps)
        x=f32[2,3,4]
        const axes=i64[1]:1
        const eps=f32[]:0.01
        a=ReduceL2-4(x,axes){keep_dims=true}
        c=Maximum-1(a,eps)
        y=Divide-1(x,c)
        return y

    MVN: MVN-6: (x - mean) / √(mean((x - mean)²) + eps)
        x=f32[2,3,4,5]
        const axes=i64[2]:2,3
        const two=f32[]:2
        const eps=f32[]:0.01
        m=ReduceMean-1(x,axes){keep_dims=true}
        d=Subtract-1(x,m)
        q=Power-1(d,two)
        v=ReduceMean-1(q,axes){keep_dims=true}
        a=Add-1(v,eps)
        s=Sqrt-1(a)
        y=Divide-1(d,s)
        return y

    MVN-outside: MVN-6: (x - mean) / (√mean((x - mean)²) + eps)
        x=f32[2,3,4,5]
        const axes=i64[2]:2,3
        const eps=f32[]:0.01
        m=ReduceMean-1(x,axes){keep_dims=true}
        d=SquaredDifference-1(x,m)
        v=ReduceMean-1(d,axes){keep_dims=true}
        s=Sqrt-1(v)
        a=Add-1(s,eps)
        e=Subtract-1(x,m)
        y=Divide-1(e,a)
        return y

    RMS: x / √(mean(x²) + eps) · γ
        x=f32[2,3,4]
        const two=f32[]:2
        const axes=i64[1]:2
        const eps=f32[]:0.01
        const one=f32[]:1
        const gamma=f32[4]~1
        a=Power-1(x,two)
        b=ReduceMean-1(a,axes){keep_dims=true}
        c=Add-1(b,eps)
        d=Sqrt-1(c)
        e=Divide-1(one,d)
        f=Multiply-1(x,e)
        y=Multiply-1(f,gamma)
        return y

    LayerNorm: MVN-6 · γ + β
        x=f32[2,3,4]
        const axes=i64[1]:2
        const gamma=f32[4]~1
        const beta=f32[4]~2
        m=MVN-6(x,axes){normalize_variance=true;eps=0.01;eps_mode=inside_sqrt}
        a=Multiply-1(m,gamma)
        y=Add-1(a,beta)
        return y

    GroupNormalization: GroupNormalization-12: MVN of groups of channels · γ + β
        x=f32[2,6,4,3]
        const groups=i64[3]:0,2,-1
        const axes=i64[1]:2
        const back=i64[4]:2,6,4,3
        const gamma=f32[1,6,1,1]~1
        const beta=f32[1,6,1,1]~2
        a=Reshape-1(x,groups){special_zero=true}
        m=MVN-6(a,axes){normalize_variance=true;eps=0.01;eps_mode=inside_sqrt}
        b=Reshape-1(m,back){special_zero=true}
        c=Multiply-1(b,gamma)
        y=Add-1(c,beta)
        return y

    BatchNorm-MatMul: (x - mean) / √(variance + eps) · γ + β in constants, before MatMul
        x=f32[2,3,4]
        const mean=f32[4]~1
        const scale=f32[4]+2
        const beta=f32[4]~3
        const w=f32[4,5]~4
        a=Subtract-1(x,mean)
        b=Multiply-1(a,scale)
        c=Add-1(b,beta)
        y=MatMul-1(c,w){transpose_a=false;transpose_b=false}
        return y
    """,
)
