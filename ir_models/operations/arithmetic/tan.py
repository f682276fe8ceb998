"""Tan: the tangent of angles in radians (page Tan-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any supported numeric type")

PRINTED = "[0.0,0.25,-0.25,0.5,-0.5]"

Tan = unary(
    "Tan-1",
    "opset1",
    T,
    # The tangent of 2 is negative, as no unsigned number is.
    reals(-50.0, 50.0, unsigned=(0, 1)),
    example=(256, 56),
    variants=variants(f"""
        printed: the page's own numbers
            data=f32:{PRINTED}|f16:{PRINTED}|bf16:{PRINTED}
            data=i32:[-2,-1,0,1,2]
    """),
)
