"""HSwish: x · min(max(x + 3, 0), 6) / 6 (page HSwish-4)."""

from ir_models.element_types import FLOATS, types
from ir_models.families.elementwise import HARD_ENDS, reals, unary

T = types("T", FLOATS)

HSwish = unary(
    "HSwish-4",
    "opset4",
    T,
    reals(-5.0, 5.0),
    example=(256, 56),
    variants=HARD_ENDS,
)
