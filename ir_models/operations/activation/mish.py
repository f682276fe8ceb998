"""Mish: x · tanh(log(1 + e^x)) (page Mish-4)."""

from ir_models.declaration import *
from ir_models.families.elementwise import AT_MINUS_INFINITY, reals, unary

T = types("T", "arbitrary supported floating-point type")

BELOW_ZERO = "[-0.5,-1.0,-2.0,-4.0,-6.0,-8.0]"

Mish = unary(
    "Mish-4",
    "opset4",
    T,
    reals(-8.0, 8.0),
    examples=examples("data=f32[256,56] -> [256,56]", ports=(0, 3)),
    variants=variants(f"""
        below-zero: the answer is small: an absolute error takes its digits
            data=f32:{BELOW_ZERO}|f16:{BELOW_ZERO}|bf16:{BELOW_ZERO}
        far-from-zero: e^x overflows or vanishes
            data=f32:[-14.0,-20.0,-50.0,-100.0,14.0,20.0,44.0,45.0,88.0,89.5,1000.0,1e30]
            data=f16:[5.5,6.0,11.0,11.5,100.0,60000.0]
    """),
    readings=[AT_MINUS_INFINITY],
)
