"""HSwish: x · min(max(x + 3, 0), 6) / 6 (page HSwish-4)."""

from ir_models.declaration import types
from ir_models.families.elementwise import AT_MINUS_INFINITY, HARD_ENDS, reals, unary

T = types("T", "arbitrary supported floating-point type")

HSwish = unary(
    "HSwish-4",
    "opset4",
    T,
    reals(-5.0, 5.0),
    example=(256, 56),
    variants=HARD_ENDS,
    readings=[AT_MINUS_INFINITY],
)
