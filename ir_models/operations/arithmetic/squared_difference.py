"""SquaredDifference: (a - b)^2 (page SquaredDifference-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import binary, root_of_most

T = types("T", "any numeric type")


def values(layer, kind):
    """Integers whose squared difference fits in their type; any ordinary reals."""
    if not kind.is_integer:
        return None
    most = root_of_most(kind)
    return Interval(0, most) if kind.kind == "uint" else Interval(-(most // 2), most // 2)


SquaredDifference = binary(
    "SquaredDifference-1",
    "opset1",
    T,
    broadcasts=("none", "numpy"),
    values=(Within(values), Within(values)),
    variants=variants("""
        near: what is small against both numbers
            a=f32:[1000.0,1.0,-3.0]; b=f32:[1000.25,1.0000001,-3.0]
        ends: from the ends of a type
            a=i8:[127,-128,-128]; b=i8:[116,-117,-128]
            a=u8:[255,0,3]; b=u8:[240,15,3]
        unsigned: differences below zero
            a=u8:[1,0,5]; b=u8:[3,15,20]
            a=u32:[1,0,5]; b=u32:[3,65535,46345]
            a=u64:[1,0,5]; b=u64:[3,65535,46345]
        beyond-24-bits: squares of integers are exact
            a=i32:[4099,46340,2147483647]; b=i32:[-4,-1,2147438000]
        beyond-32-bits: squares of 64-bit integers are exact
            a=i64:[2147483649,-3,9223372036854775807]; b=i64:[-2,3000000000,9223372034854775807]
            a=u64:[4294967295,18446744073709551615]; b=u64:[2,18446744069414584327]
    """),
    readings=[
        Reading(
            "a - b of unsigned integers where a is less than b",
            "The square is that of the number a - b.",
            "Both the formula in whole numbers and a difference modulo 2^n give it.",
            "silence",
        ),
    ],
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
