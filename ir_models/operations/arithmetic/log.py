"""Log: the natural logarithm (page Log-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import OUTSIDE, TO_NEAREST, reals, unary

T = types("T", "any numeric type")

Log = unary(
    "Log-1",
    "opset1",
    T,
    reals(0.01, 100.0),
    example=(256, 56),
    readings=[TO_NEAREST, OUTSIDE],
)
