"""Add: a + b (page Add-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import HALVES, binary

T = types("T", "any numeric type")

Add = binary("Add-1", "opset1", T, values=(HALVES, HALVES))
