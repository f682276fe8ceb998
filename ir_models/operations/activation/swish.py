"""Swish: x / (1 + e^-βx) (page Swish-4)."""

from ir_models.declaration import *
from ir_models.families.elementwise import AT_MINUS_INFINITY, reals, unary

T = types("T", "arbitrary supported floating-point type")

BELOW_ZERO = "[-0.5,-1.0,-2.0,-4.0,-6.0,-8.0]"

Swish = unary(
    "Swish-4",
    "opset4",
    T,
    reals(-8.0, 8.0),
    numbers=[Index("beta", T, exactly(0), optional=True, plain=1.5)],
    examples=examples("""
        data=f32[256,56]; beta=2.0 -> [256,56]
        data=f32[128] -> [128]
    """),
    rules=[
        rule(
            "beta is not negative",
            lambda layer: layer.beta is None or layer.beta.value >= 0,
            "beta=-1.0",
        )
    ],
    variants=variants(f"""
        beta: 0 is x/2, 1 the default
            beta=0.0|1.0|10.0|0.1
        below-zero: the answer is small: an absolute error takes its digits
            data=f32:{BELOW_ZERO}|f16:{BELOW_ZERO}|bf16:{BELOW_ZERO}; beta=-
        far-from-zero: e^-x overflows or vanishes
            data=f32:[-14.0,-20.0,-50.0,-80.0,14.0,20.0,50.0,88.0,89.5,1000.0,1e30]; beta=-
    """),
    readings=[AT_MINUS_INFINITY],
)
