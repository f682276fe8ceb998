"""ReduceMin: the smallest numbers over axes (page ReduceMin-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import extreme

T = types("T", "any supported numeric type")

ReduceMin = extreme("ReduceMin-1", T)
