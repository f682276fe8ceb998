"""Acos: the angle in radians that has a cosine (page Acos-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Acos = unary("Acos-1", "opset1", T, reals(-1.0, 1.0), example=(256, 56))
