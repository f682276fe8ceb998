"""ReduceLogicalAnd: whether all are true, over axes (page ReduceLogicalAnd-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import truth

T_BOOL = types("T_BOOL", "boolean")

ReduceLogicalAnd = truth("ReduceLogicalAnd-1", T_BOOL, decisive=False)
