"""Ceiling: the least whole number that is not less (page Ceiling-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary
from ir_models.families.whole_numbers import NEAR_WHOLE

T = types("T", "any numeric type")

Ceiling = unary("Ceiling-1", "opset1", T, example=(256, 56), variants=[NEAR_WHOLE])
