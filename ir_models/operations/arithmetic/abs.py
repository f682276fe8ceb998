"""Abs: the absolute value (page Abs-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Abs = unary("Abs-1", "opset1", T, reals(-100.0, 100.0), example=(256, 56))
