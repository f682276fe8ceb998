"""BitwiseOr: the bits that one of both numbers has (page BitwiseOr-13)."""

from ir_models.declaration import *
from ir_models.families.elementwise import bitwise

BitwiseOr = bitwise(
    "BitwiseOr-13",
    examples=examples("""
        a=i64[256,56]; b=i64[256,56] -> [256,56]
        a=i64[8,1,6,1]; b=i64[7,1,5] -> [8,7,6,5]
    """),
)
