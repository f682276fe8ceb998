"""Sinh: hyperbolic sine (page Sinh-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import TO_NEAREST, reals, unary

T = types("T", "any supported numeric type")

# Hyperbolic sines up to that of 5, 74.2, fit in every type.
Sinh = unary(
    "Sinh-1",
    "opset1",
    T,
    reals(-5.0, 5.0),
    example=(256, 56),
    variants=variants("""
        large-integers: results beyond 2^24 and 2^31 are whole numbers as well
            data=i32:[18,-19,20,1]
            data=i64:[20,-25,30,1]
            data=u64:[20,25,30,1]
    """),
    readings=[TO_NEAREST],
)
