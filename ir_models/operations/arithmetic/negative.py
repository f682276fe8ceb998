"""Negative: the number of the other sign (page Negative-1)."""

from ir_models.element_types import FLOATS, i8, i16, i32, i64, types
from ir_models.families.elementwise import unary

# "any supported signed numeric type"
T = types("T", FLOATS, i8, i16, i32, i64)

Negative = unary("Negative-1", "opset1", T, example=(256, 56))
