"""ReduceSum: sums over axes (page ReduceSum-1)."""

from ir_models.declaration import Within
from ir_models.element_types import NUMERIC, types
from ir_models.families.reductions import SUMS, reduction, summands

T = types("T", NUMERIC)

ReduceSum = reduction("ReduceSum-1", "opset1", T, Within(summands), sums=SUMS)
