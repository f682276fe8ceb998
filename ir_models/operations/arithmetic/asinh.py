"""Asinh: the number that has a hyperbolic sine (page Asinh-3)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Asinh = unary("Asinh-3", "opset3", T, reals(-50.0, 50.0), example=(256, 56))
