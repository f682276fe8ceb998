"""Selu: λx above 0, λα(e^x - 1) below (page Selu-1)."""

from ir_models.declaration import *
from ir_models.element_types import FLOATS, types
from ir_models.families.elementwise import number, reals, unary

T = types("T", FLOATS)

AROUND_ZERO = "[-0.001,-0.02,-0.3,-1.0,-2.5,-6.0,0.0,0.001,0.3,2.5]"

Selu = unary(
    "Selu-1",
    "opset1",
    T,
    reals(-6.0, 6.0),
    numbers=[number("alpha", T, 1.5, 1.75, "1"), number("lambda", T, 1.0, 1.1, "1")],
    examples=examples("data=f32[256,56]; alpha=f32[1]; lambda=f32[1] -> [256,56]"),
    variants=variants(f"""
        article: the numbers of networks that normalize themselves
            alpha=f32:[1.6732632]; lambda=f32:[1.050701]
        around-zero: both sides of 0, and where e^x - 1 is small
            data=f32:{AROUND_ZERO}
            data=f16:{AROUND_ZERO}; alpha=f16; lambda=f16
            data=bf16:{AROUND_ZERO}; alpha=bf16; lambda=bf16
        far-from-zero: e^x vanishes
            data=f32:[-20.0,-90.0,-1000.0,-1e30,90.0,1000.0,1e30]
    """),
)
