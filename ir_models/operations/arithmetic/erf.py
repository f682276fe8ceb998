"""Erf: the Gauss error function (page Erf-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import NUMERIC, bf16, f16, f32, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", NUMERIC)

# Near zero the answer is small, and an absolute error that is harmless elsewhere takes all of its digits.
NEAR_ZERO = [0.2, -0.0625, 0.01, -0.001, 0.0001, -0.00001]

Erf = Operation(
    "Erf-1",
    opset="opset1",
    **unary(T, between(-5.0, 5.0, least=0.25), example=(256, 56))
    | {"variants": {"near-zero": [{"data": kind.tensor(NEAR_ZERO)} for kind in (f32, f16, bf16)]}},
)
unary_layers(Erf)
