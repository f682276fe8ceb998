"""Subtract: a - b (page Subtract-1)."""

from ir_models.element_types import NUMERIC, types
from ir_models.families.elementwise import HALVES, binary

T = types("T", NUMERIC)

Subtract = binary("Subtract-1", "opset1", T, values=(HALVES, HALVES))
