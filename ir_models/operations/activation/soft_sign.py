"""SoftSign: x / (1 + |x|) (page SoftSign-9)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "arbitrary supported floating-point type")

SoftSign = unary(
    "SoftSign-9",
    "opset9",
    T,
    reals(-20.0, 20.0),
    example=(256, 56),
    variants=variants("""
        far-from-zero: the sum is |x|, and nothing overflows
            data=f32:[-3e38,-1e30,-1e8,-1000.0,1000.0,1e8,1e30,3e38]
            data=f16:[-65504.0,-3000.0,3000.0,65504.0]
    """),
    readings=[
        Reading(
            "infinite x",
            "It is not judged.",
            "The formula is infinity divided by infinity.",
            "silence",
        )
    ],
)
