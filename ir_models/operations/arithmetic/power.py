"""Power: a to the power of b (page Power-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import binary

T = types("T", "any numeric type")
HIGHEST_POWER = 4


def base(layer, kind):
    """Reals whose powers are real; integers whose fourth power fits."""
    if not kind.is_integer:
        return Interval(0.1, 8.0)
    low, high = kind.integer_range
    most = int(min(high, 2**31 - 1) ** (1 / HIGHEST_POWER))
    return Interval(max(low, -most), most)


def exponent(layer, kind):
    return Interval(-4.0, 4.0) if kind.is_float else Interval(0, HIGHEST_POWER)


Power = binary(
    "Power-1",
    "opset1",
    T,
    broadcasts=("none", "numpy"),
    values=(Within(base), Within(exponent)),
    variants=variants("""
        exponent: squares, roots, reciprocals, the power 0
            b=f32:2.0|f32:3.0|f32:0.5|f32:-1.0|f32:-0.5|f32:-2.0|f32:[0.0,1.0,10.0,-4.5]
        negative-base: whole powers of negative numbers
            a=f32:[-2.5,-1.5,-3.0,-0.75,-2.0,-1.0]; b=f32:[2.0,3.0,-1.0,-2.0,0.0,7.0]
            a=i32:[-2,-3,-1,-5,2]; b=i32:[3,2,5,0,10]
        beyond-32-bits: powers of 64-bit integers are exact
            a=i64:[-3,2147483649,7,-1]; b=i64:[39,1,22,8589934593]
            a=u64:[3,9223372036854775809,65537,15]; b=u64:[40,1,3,16]
    """),
    readings=[
        Reading(
            "a negative base with a fraction, 0 to a negative power",
            "They are not judged.",
            "The page does not define them.",
            "silence",
        ),
    ],
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
