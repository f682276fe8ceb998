"""Asinh: the number that has a hyperbolic sine (page Asinh-3)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

# Its page calls it Asinh-3, but the first list that has it is that of opset4.
Asinh = unary("Asinh-3", "opset4", T, reals(-50.0, 50.0), example=(256, 56))
