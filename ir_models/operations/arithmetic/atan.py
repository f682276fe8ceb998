"""Atan: the angle in radians that has a tangent (page Atan-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Atan = unary("Atan-1", "opset1", T, reals(-50.0, 50.0), example=(256, 56))
