"""Minimum: the smaller of two numbers (page Minimum-1)."""

from ir_models.declaration import types
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
)
