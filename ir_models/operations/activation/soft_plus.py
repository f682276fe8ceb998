"""SoftPlus: log(e^x + 1), linear from a threshold on (page SoftPlus-4)."""

from ir_models.declaration import Operation
from ir_models.element_types import FLOATS, f16, f32, types
from ir_models.elementwise import between, unary, unary_layers

T = types("T", FLOATS)

SoftPlus = Operation(
    "SoftPlus-4",
    opset="opset4",
    **unary(T, between(-20.0, 25.0, f16=(-8.0, 14.0)), example=(256, 56))
    | {
        # About the thresholds that the page names for f32 and f16, where e^x overflows, and far below.
        "variants": {
            "threshold": [
                {"data": f32.tensor([19.0, 19.999, 20.0, 20.001, 21.0, 88.0, 89.5, 1000.0])},
                {"data": f16.tensor([10.0, 10.5, 11.0, 11.5, 12.0, 100.0, 1000.0, 60000.0])},
            ],
            "far-below-zero": [{"data": f32.tensor([-10.0, -14.0, -17.0, -30.0, -80.0, -1000.0])}],
        }
    },
)
unary_layers(SoftPlus)
