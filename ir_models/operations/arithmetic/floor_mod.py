"""FloorMod: the remainder of a floored division (page FloorMod-1)."""

from ir_models.declaration import variant
from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import DIVISORS, HALVES, binary

T = types("T", NUMERIC)

FloorMod = binary(
    "FloorMod-1",
    "opset1",
    T,
    broadcasts=("none", "numpy"),
    values=(HALVES, DIVISORS),
    variants=[
        variant(
            "signs",
            "the remainder has the sign of the divisor",
            *(
                f"a={t}:[7,7,-7,-7,6,-6,0,1,-1]; b={t}:[2,-2,2,-2,3,3,5,9,9]"
                for t in ("f32", "i8", "i32", "i64")
            ),
            "a=f32:[5.5,-5.5,5.5,-5.5]; b=f32:[1.5,1.5,-1.5,-1.5]",
        ),
        variant(
            "large-quotients",
            "a remainder lies between 0 and the divisor, however many digits the quotient has",
            "a=f32:[100000000.0,-100000000.0,123456792.0,98765432.0]; b=f32:[3.0,3.0,7.0,-11.0]",
        ),
    ],
)
