"""Multiply: a times b (page Multiply-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import ROOTS, binary

T = types("T", "any numeric type")

Multiply = binary(
    "Multiply-1",
    "opset1",
    T,
    algebra="factor",
    values=(ROOTS, ROOTS),
    variants=variants("""
        signs: the least and the largest number of a type, by 1 and -1
            a=i8:[-128,127,127,11,-11]; b=i8:[1,-1,1,11,-11]
            a=i16:[-32768,32767,32767,181]; b=i16:[1,-1,1,-181]
            a=i32:[-2147483648,2147483647,-1]; b=i32:[1,-1,-2147483647]
            a=u8:[255,15,1]; b=u8:[1,17,255]
        beyond-24-bits: products of integers are exact
            a=i32:[4099,-46341,16777217]; b=i32:[8191,46339,127]
            a=u32:[65537,4294967295,3]; b=u32:[65535,1,1431655765]
        beyond-32-bits: products of 64-bit integers are exact
            a=i64:[2147483649,-3,-9223372036854775808]; b=i64:[4294967295,3000000000000000001,1]
            a=u64:[4294967297,3,18446744073709551615]; b=u64:[4294967295,6000000000000000001,1]
        pdpd-from-either-side: b fits the first dimensions of a as well
            a=[3,5,3]; b=[3]; auto_broadcast=pdpd
            a=[2,4,5,2,4]; b=[2,4]; auto_broadcast=pdpd
    """),
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
