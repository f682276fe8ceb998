"""Minimum: the smaller of two numbers (page Minimum-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import NAN_IS_OPEN, NEIGHBOURS, binary, in_the_middle

T = types("T", "any numeric type")

Minimum = binary(
    "Minimum-1",
    "opset1",
    T,
    broadcasts=("none", "numpy"),
    values=(in_the_middle("a"), in_the_middle("b")),
    variants=[NEIGHBOURS],
    readings=[NAN_IS_OPEN],
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
