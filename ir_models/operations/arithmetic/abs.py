"""Abs: the absolute value (page Abs-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import reals, unary

T = types("T", "any numeric type")

Abs = unary("Abs-1", "opset1", T, reals(-100.0, 100.0), example=(256, 56))
