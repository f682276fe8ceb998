"""Sinh: hyperbolic sine (page Sinh-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import LARGE_INTEGERS, TO_NEAREST, reals, unary

T = types("T", "any supported numeric type")

# Hyperbolic sines up to that of 5, 74.2, fit in every type.
Sinh = unary(
    "Sinh-1",
    "opset1",
    T,
    reals(-5.0, 5.0),
    example=(256, 56),
    variants=[LARGE_INTEGERS],
    readings=[TO_NEAREST],
)
