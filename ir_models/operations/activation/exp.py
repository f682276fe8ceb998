"""Exp: e^x (page Exp-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import FLOATS, bf16, f16, f32, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", FLOATS)

Exp = Operation(
    "Exp-1",
    opset="opset1",
    **unary(T, between(-20.0, 20.0, f16=(-9.0, 11.0)), example=(1, 256))
    | {
        # Where the reduction of the argument shows, up to the largest and the smallest powers that a type holds.
        "variants": {
            "far-from-zero": [
                {"data": f32.tensor([22.5, 40.125, 61.7, 75.9, 86.85, 87.2, 88.1, 88.7])},
                {"data": f32.tensor([-22.5, -40.125, -61.7, -75.9, -86.85, -87.2, -87.3])},
                {"data": bf16.tensor([22.5, 61.75, 88.0, 88.5, -40.25, -87.0])},
                {"data": f16.tensor([11.0, 11.086, -9.5])},
            ],
            "overflow": [{"data": f32.tensor([88.75, 100.0, 1e30, -104.5, -1000.0, 1.0])}],
        }
    },
)
unary_layers(Exp)
