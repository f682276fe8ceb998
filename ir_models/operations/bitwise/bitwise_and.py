"""BitwiseAnd: the bits that both numbers have (page BitwiseAnd-13)."""

from ir_models.declaration import *
from ir_models.families.elementwise import bitwise

BitwiseAnd = bitwise(
    "BitwiseAnd-13",
    examples=examples("""
        a=i64[256,56]; b=i64[256,56] -> [256,56]
        a=i64[8,1,6,1]; b=i64[7,1,5] -> [8,7,6,5]
    """),
)
