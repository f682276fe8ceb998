"""ReduceSum: sums over axes (page ReduceSum-1)."""

from ir_models.declaration import Operation, Within
from ir_models.element_types import NUMERIC, types
from ir_models.reductions import SUMS, reduction, reduction_layers, summands

T = types("T", NUMERIC)

ReduceSum = Operation("ReduceSum-1", opset="opset1", sums=SUMS, **reduction(T, Within(summands)))
reduction_layers(ReduceSum)
