"""Atanh: the number that has a hyperbolic tangent (page Atanh-3)."""

from ir_models.declaration import *
from ir_models.families.elementwise import FROM_OPSET4, OUTSIDE, reals, unary

T = types("T", "any supported numeric type")

Atanh = unary(
    "Atanh-3",
    "opset4",
    T,
    reals(-1.0, 1.0),
    example=(256, 56),
    variants=variants(f"""
        integers: all but 0 give an end of their type
            data=i8:[-128,-2,-1,0,1,2,127]|i32:[-128,-2,-1,0,1,2,127]|u8:[0,1,2,127,128,255]
            data=i64:[{-(2**32)},0,{2**32}]
            data=u64:[{2**32},0,{2**63}]
    """),
    readings=[
        OUTSIDE,
        FROM_OPSET4,
        Reading(
            "(i <= -1) ? ...", "i is the element a_i.", "The condition names the index.", "slip"
        ),
    ],
)
