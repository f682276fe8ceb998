"""Sin: the sine of angles in radians (page Sin-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import TO_NEAREST, reals, unary

T = types("T", "any numeric type")

# Sines of 0 to 3 are not negative, as no unsigned number is.
Sin = unary(
    "Sin-1",
    "opset1",
    T,
    reals(-50.0, 50.0, unsigned=(0, 3)),
    example=(256, 56),
    readings=[TO_NEAREST],
)
