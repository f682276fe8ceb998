"""Mod: the remainder of a truncated division (page Mod-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import DIVISORS, HALVES, binary

T = types("T", "any numeric type")
A, B = "[7,7,-7,-7,6,-6,0,1,-1]", "[2,-2,2,-2,3,3,5,9,9]"

Mod = binary(
    "Mod-1",
    "opset1",
    T,
    broadcasts=("none", "numpy"),
    values=(HALVES, DIVISORS),
    variants=variants(f"""
        signs: the remainder has the sign of the dividend
            a=f32:{A}; b=f32:{B}
            a=f16:{A}; b=f16:{B}
            a=i8:{A}; b=i8:{B}
            a=i32:{A}; b=i32:{B}
            a=i64:{A}; b=i64:{B}
            a=f32:[5.5,-5.5,5.5,-5.5]; b=f32:[1.5,1.5,-1.5,-1.5]
        ends: the least and the largest number of a type
            a=i8:[-128,127,-128,127]; b=i8:[127,-128,-127,10]
            a=i32:[-2147483648,2147483647,-2147483648]; b=i32:[2147483647,-2147483648,1000]
            a=u8:[255,254,0]; b=u8:[254,255,7]
            a=u32:[4294967295,5]; b=u32:[4294967294,4294967295]
        beyond-24-bits: integers are exact
            a=i32:[16777217,-16777219,33554435]; b=i32:[10,10,16777217]
        beyond-32-bits: 64-bit integers are exact
            a=i64:[4294967297,-9007199254740993,-9223372036854775808]; b=i64:[10,1000,4294967297]
            a=u64:[4294967297,9007199254740993,18446744073709551615]; b=u64:[10,1000,4294967296]
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
            "The page defines the remainder by a truncated division and does not fix its precision.",
            "silence",
        ),
    ],
)
