"""FloorMod: the remainder of a floored division (page FloorMod-1)."""

from ir_models.declaration import *
from ir_models.families.whole_numbers import remainder

T = types("T", "any numeric type")

FloorMod = remainder("FloorMod-1", T, division="floored")
