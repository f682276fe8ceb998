"""SoftPlus: log(e^x + 1), linear from a threshold on (page SoftPlus-4)."""

from ir_models.declaration import Operation
from ir_models.element_types import FLOATS, bf16, f16, f32, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", FLOATS)

SoftPlus = Operation(
    "SoftPlus-4",
    opset="opset4",
    **unary(T, between(-1.0, 25.0, f16=(-1.0, 14.0)), example=(256, 56))
    | {
        # About the thresholds that the page names for f32 and f16, where e^x overflows; below zero, where the answer is
        # small and an absolute error takes its digits, and far below.
        "variants": {
            "threshold": [
                {"data": f32.tensor([19.0, 19.999, 20.0, 20.001, 21.0, 88.0, 89.5, 1000.0])},
                {"data": f16.tensor([10.0, 10.5, 11.0, 11.5, 12.0, 100.0, 1000.0, 60000.0])},
            ],
            "below-zero": [
                {"data": kind.tensor([-1.5, -2.25, -3.125, -4.0, -5.5, -7.0, -8.0])}
                for kind in (f32, f16, bf16)
            ],
            "far-below-zero": [{"data": f32.tensor([-10.0, -14.0, -17.0, -30.0, -80.0, -1000.0])}],
        }
    },
)
unary_layers(SoftPlus)
