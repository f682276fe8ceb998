"""Tanh: hyperbolic tangent (page Tanh-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import NUMERIC, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", NUMERIC)

Tanh = Operation("Tanh-1", opset="opset1", **unary(T, between(-9.0, 9.0), example=(256, 56)))
unary_layers(Tanh)
