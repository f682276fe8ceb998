"""Selu: λx above 0, λα(e^x - 1) below (page Selu-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "arbitrary supported floating-point type")

AROUND_ZERO = "[-0.001,-0.02,-0.3,-1.0,-2.5,-6.0,0.0,0.001,0.3,2.5]"

Selu = unary(
    "Selu-1",
    "opset1",
    T,
    reals(-6.0, 6.0),
    numbers=[
        Index("alpha", T, shape="1", plain=[1.625]),
        Index("lambda", T, shape="1", plain=[1.125]),
    ],
    examples=examples("data=f32[256,56]; alpha=1.67; lambda=1.05 -> [256,56]"),
    variants=variants(f"""
        article: the numbers of networks that normalize themselves
            alpha=1.6732632; lambda=1.050701
        around-zero: both sides of 0, and where e^x - 1 is small
            data=f32:{AROUND_ZERO}
            data=f16:{AROUND_ZERO}; alpha=f16; lambda=f16
            data=bf16:{AROUND_ZERO}; alpha=bf16; lambda=bf16
        far-from-zero: e^x vanishes
            data=f32:[-20.0,-90.0,-1000.0,-1e30,90.0,1000.0,1e30]
    """),
    readings=[
        Reading(
            "alpha and lambda of the example",
            "1.67 and 1.05.",
            "The page prints no values.",
            "silence",
        )
    ],
)
