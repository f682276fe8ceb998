"""Exp: e^x (page Exp-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import FLOATS, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", FLOATS)

# Powers of e that a type holds.
Exp = Operation(
    "Exp-1", opset="opset1", **unary(T, between(-87.0, 88.0, f16=(-9.0, 11.0)), example=(1, 256))
)
unary_layers(Exp)
