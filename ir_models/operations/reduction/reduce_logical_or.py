"""ReduceLogicalOr: whether any is true, over axes (page ReduceLogicalOr-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import truth

T_BOOL = types("T_BOOL", "boolean")

ReduceLogicalOr = truth("ReduceLogicalOr-1", T_BOOL, decisive=True)
