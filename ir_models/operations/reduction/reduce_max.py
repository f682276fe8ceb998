"""ReduceMax: the largest numbers over axes (page ReduceMax-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import extreme

T = types("T", "any supported numeric type")

ReduceMax = extreme("ReduceMax-1", T)
