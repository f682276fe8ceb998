"""Mod: the remainder of a truncated division (page Mod-1)."""

from ir_models.declaration import *
from ir_models.families.whole_numbers import remainder

T = types("T", "any numeric type")

Mod = remainder("Mod-1", T, division="truncated")
