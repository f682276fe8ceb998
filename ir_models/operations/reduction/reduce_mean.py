"""ReduceMean: arithmetic means over axes (page ReduceMean-1)."""

from ir_models.declaration import *
from ir_models.element_types import NUMERIC, types
from ir_models.families.reductions import SUMS, reduction, summands

T = types("T", NUMERIC)

ReduceMean = reduction("ReduceMean-1", "opset1", T, Within(summands), sums=SUMS)
