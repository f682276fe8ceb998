"""BitwiseNot: every bit negated (page BitwiseNot-13)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary

T = types("T", "any supported integer or boolean type")

BitwiseNot = unary(
    "BitwiseNot-13",
    "opset13",
    T,
    example=(256, 56),
    variants=variants("""
        printed: the page's own numbers
            data=boolean:[true,false]
            data=u8:[1,3]
    """),
)
