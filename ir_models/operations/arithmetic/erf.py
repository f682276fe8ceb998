"""Erf: the Gauss error function (page Erf-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import NUMERIC, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", NUMERIC)

Erf = Operation("Erf-1", opset="opset1", **unary(T, between(-5.0, 5.0), example=(256, 56)))
unary_layers(Erf)
