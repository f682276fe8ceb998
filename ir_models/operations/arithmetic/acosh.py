"""Acosh: the number that has a hyperbolic cosine (page Acosh-3)."""

from ir_models.declaration import types
from ir_models.families.elementwise import FROM_OPSET4, OUTSIDE, TO_NEAREST, reals, unary

T = types("T", "any numeric type")

Acosh = unary(
    "Acosh-3",
    "opset4",
    T,
    reals(1.0, 50.0),
    example=(256, 56),
    readings=[TO_NEAREST, OUTSIDE, FROM_OPSET4],
)
