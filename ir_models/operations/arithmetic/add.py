"""Add: a + b (page Add-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import NUMERIC, types
from ir_models.elementwise import HALVES, binary, binary_layers

T = types("T", NUMERIC)

Add = Operation(
    "Add-1", opset="opset1", **binary(T, "none", "numpy", "pdpd", values=(HALVES, HALVES))
)
binary_layers(Add)
