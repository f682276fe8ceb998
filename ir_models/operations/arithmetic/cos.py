"""Cos: the cosine of angles in radians (page Cos-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import TO_NEAREST, reals, unary

T = types("T", "any numeric type")

# Cosines of 0 to 2 round to numbers that are not negative, as no unsigned number is.
Cos = unary(
    "Cos-1",
    "opset1",
    T,
    reals(-50.0, 50.0, unsigned=(0, 2)),
    example=(256, 56),
    readings=[TO_NEAREST],
)
