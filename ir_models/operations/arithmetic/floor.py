"""Floor: the largest whole number that is not greater (page Floor-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary
from ir_models.families.whole_numbers import NEAR_WHOLE

T = types("T", "any numeric type")

Floor = unary("Floor-1", "opset1", T, example=(256, 56), variants=[NEAR_WHOLE])
