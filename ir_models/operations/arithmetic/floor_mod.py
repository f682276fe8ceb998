"""FloorMod: the remainder of a floored division (page FloorMod-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import DIVISORS, HALVES, binary

T = types("T", "any numeric type")
A, B = "[7,7,-7,-7,6,-6,0,1,-1]", "[2,-2,2,-2,3,3,5,9,9]"

FloorMod = binary(
    "FloorMod-1",
    "opset1",
    T,
    broadcasts=("none", "numpy"),
    values=(HALVES, DIVISORS),
    variants=variants(f"""
        signs: the remainder has the sign of the divisor
            a=f32:{A}; b=f32:{B}
            a=i8:{A}; b=i8:{B}
            a=i32:{A}; b=i32:{B}
            a=i64:{A}; b=i64:{B}
            a=f32:[5.5,-5.5,5.5,-5.5]; b=f32:[1.5,1.5,-1.5,-1.5]
        large-quotients: a remainder lies between 0 and the divisor, however many digits the quotient has
            a=f32:[100000000.0,-100000000.0,123456792.0,98765432.0]; b=f32:[3.0,3.0,7.0,-11.0]
    """),
    readings=[
        Reading(
            "result of a division by zero",
            "It is not judged.",
            "The page calls it undefined.",
            "silence",
        ),
        Reading(
            "reals whose quotient is large, or rounds to an integer",
            "Any remainder from 0 to the divisor is right for the first, either end for the second.",
            "The page defines the remainder by a floored division and does not fix its precision.",
            "silence",
        ),
    ],
)
