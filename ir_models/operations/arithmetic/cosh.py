"""Cosh: hyperbolic cosine (page Cosh-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import LARGE_INTEGERS, TO_NEAREST, reals, unary

T = types("T", "any numeric type")

# Hyperbolic cosines up to that of 5, 74.2, fit in every type.
Cosh = unary(
    "Cosh-1",
    "opset1",
    T,
    reals(-5.0, 5.0),
    example=(256, 56),
    variants=[LARGE_INTEGERS],
    readings=[TO_NEAREST],
)
