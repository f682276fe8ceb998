"""Tanh: hyperbolic tangent (page Tanh-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Tanh = unary("Tanh-1", "opset1", T, reals(-9.0, 9.0), example=(256, 56))
