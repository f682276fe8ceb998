"""Asin: the angle in radians that has a sine (page Asin-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import reals, unary

T = types("T", NUMERIC)

Asin = unary("Asin-1", "opset1", T, reals(-1.0, 1.0), example=(256, 56))
