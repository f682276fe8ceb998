"""Add: a + b (page Add-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import HALVES, binary

T = types("T", NUMERIC)

Add = binary("Add-1", "opset1", T, values=(HALVES, HALVES))
