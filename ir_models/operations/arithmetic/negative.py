"""Negative: the number of the other sign (page Negative-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import unary

T = types("T", "any supported signed numeric type")

Negative = unary("Negative-1", "opset1", T, example=(256, 56))
