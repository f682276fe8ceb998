"""Atan: the angle in radians that has a tangent (page Atan-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import TO_NEAREST, reals, unary

T = types("T", "any supported numeric type")

Atan = unary(
    "Atan-1",
    "opset1",
    T,
    reals(-50.0, 50.0),
    example=(256, 56),
    readings=[TO_NEAREST],
)
