"""Asinh: the number that has a hyperbolic sine (page Asinh-3)."""

from ir_models.declaration import types
from ir_models.families.elementwise import FROM_OPSET4, TO_NEAREST, reals, unary

T = types("T", "any numeric type")

Asinh = unary(
    "Asinh-3",
    "opset4",
    T,
    reals(-50.0, 50.0),
    example=(256, 56),
    readings=[TO_NEAREST, FROM_OPSET4],
)
