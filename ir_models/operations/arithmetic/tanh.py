"""Tanh: hyperbolic tangent (page Tanh-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import reals, unary

T = types("T", "any numeric type")

Tanh = unary("Tanh-1", "opset1", T, reals(-9.0, 9.0), example=(256, 56))
