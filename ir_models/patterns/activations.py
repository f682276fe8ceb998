"""Activations written out: the formulas of their pages in elementary layers."""

from ir_models.patterns.pattern import read_patterns

ACTIVATIONS = read_patterns(
    """
    Gelu-erf: Gelu-7: 0.5 · x · (1 + erf(x / √2))
        x=f32[2,3,4]
        const root=f32[]:1.4142135
        const one=f32[]:1
        const half=f32[]:0.5
        a=Divide-1(x,root)
        b=Erf-1(a)
        c=Add-1(b,one)
        d=Multiply-1(x,half)
        y=Multiply-1(d,c)
        return y

    Gelu-half-last: Gelu-7: x · (1 + erf(x · 0.7071)) · 0.5
        x=f32[2,3,4]
        const root=f32[]:0.70710677
        const one=f32[]:1
        const half=f32[]:0.5
        a=Multiply-1(x,root)
        b=Erf-1(a)
        c=Add-1(b,one)
        d=Multiply-1(x,c)
        y=Multiply-1(d,half)
        return y

    Gelu-tanh: Gelu-7: 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))
        x=f32[2,3,4]
        const three=f32[]:3
        const k=f32[]:0.044715
        const root=f32[]:0.7978845
        const one=f32[]:1
        const half=f32[]:0.5
        a=Power-1(x,three)
        b=Multiply-1(a,k)
        c=Add-1(x,b)
        d=Multiply-1(c,root)
        e=Tanh-1(d)
        f=Add-1(e,one)
        g=Multiply-1(x,half)
        y=Multiply-1(g,f)
        return y

    Swish-sigmoid: Swish-4: x · sigmoid(β · x)
        x=f32[2,3,4]
        const beta=f32[]:1.5
        a=Multiply-1(x,beta)
        b=Sigmoid-1(a)
        y=Multiply-1(x,b)
        return y

    Swish-exp: Swish-4: x / (1 + exp(-β · x))
        x=f32[2,3,4]
        const one=f32[]:1
        a=Negative-1(x)
        b=Exp-1(a)
        c=Add-1(b,one)
        y=Divide-1(x,c)
        return y

    HSwish-relu: HSwish-4: x · min(ReLU(x + 3), 6) / 6
        x=f32[2,3,4]
        const three=f32[]:3
        const six=f32[]:6
        const sixth=f32[]:0.16666667
        a=Add-1(x,three)
        b=ReLU-1(a)
        c=Minimum-1(b,six)
        d=Multiply-1(x,c)
        y=Multiply-1(d,sixth)
        return y

    HSwish-clamp: HSwish-4: x · clamp(x + 3, 0, 6) / 6
        x=f32[2,3,4]
        const three=f32[]:3
        const six=f32[]:6
        a=Add-1(x,three)
        b=Clamp-1(a){min=0.0;max=6.0}
        c=Multiply-1(x,b)
        y=Divide-1(c,six)
        return y

    HSigmoid: HSigmoid-5: min(max(x + 3, 0), 6) / 6
        x=f32[2,3,4]
        const three=f32[]:3
        const zero=f32[]:0
        const six=f32[]:6
        a=Add-1(x,three)
        b=Maximum-1(a,zero)
        c=Minimum-1(b,six)
        y=Divide-1(c,six)
        return y

    Clamp: Clamp-1: min(max(x, low), high)
        x=f32[2,3,4]
        const low=f32[]:-1.5
        const high=f32[]:2.5
        a=Maximum-1(x,low)
        y=Minimum-1(a,high)
        return y

    Mish: Mish-4: x · tanh(ln(1 + exp(x)))
        x=f32[2,3,4]
        const one=f32[]:1
        a=Exp-1(x)
        b=Add-1(a,one)
        c=Log-1(b)
        d=Tanh-1(c)
        y=Multiply-1(x,d)
        return y

    PReLU: PReLU-1: max(x, 0) + slope · min(x, 0), with ReLU of -x
        x=f32[2,3,4]
        const slope=f32[]:-0.25
        a=ReLU-1(x)
        b=Negative-1(x)
        c=ReLU-1(b)
        d=Multiply-1(c,slope)
        y=Add-1(a,d)
        return y
    """,
)
