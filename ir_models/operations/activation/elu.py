"""Elu: x above 0, α(e^x - 1) below (page Elu-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "arbitrary supported floating-point type")

AROUND_ZERO = "[-0.001,-0.02,-0.3,-1.0,-2.5,-6.0,0.0,0.001,0.3,2.5]"

Elu = unary(
    "Elu-1",
    "opset1",
    T,
    reals(-6.0, 6.0),
    attributes=[Attribute("alpha", float, required=True, least=0, plain=0.75)],
    examples=examples("data=f32[1,128]; alpha=1.0 -> [1,128]"),
    variants=variants(f"""
        alpha: 0 is ReLU, 1 is smooth at 0
            alpha=0.0|1.0|2.5
        around-zero: both sides of 0, and where e^x - 1 is small
            data=f32:{AROUND_ZERO}|f16:{AROUND_ZERO}|bf16:{AROUND_ZERO}
        far-from-zero: e^x vanishes
            data=f32:[-20.0,-90.0,-1000.0,-1e30,90.0,1000.0,1e30]
    """),
)
