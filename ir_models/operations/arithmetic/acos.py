"""Acos: the angle in radians that has a cosine (page Acos-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import OUTSIDE, TO_NEAREST, reals, unary

T = types("T", "any numeric type")

Acos = unary(
    "Acos-1",
    "opset1",
    T,
    reals(-1.0, 1.0),
    example=(256, 56),
    readings=[TO_NEAREST, OUTSIDE],
)
