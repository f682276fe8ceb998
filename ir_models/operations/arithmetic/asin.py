"""Asin: the angle in radians that has a sine (page Asin-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import OUTSIDE, TO_NEAREST, reals, unary

T = types("T", "any numeric type")

Asin = unary(
    "Asin-1",
    "opset1",
    T,
    reals(-1.0, 1.0),
    example=(256, 56),
    readings=[TO_NEAREST, OUTSIDE],
)
