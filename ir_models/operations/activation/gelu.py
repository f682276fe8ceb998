"""Gelu: x·Φ(x), Φ the distribution function of the normal distribution (page Gelu-7)."""

from ir_models.declaration import Attribute, Operation
from ir_models.element_types import FLOATS, types
from ir_models.elementwise import between, unary, unary_example, unary_layers

T = types("T", FLOATS)

Gelu_7 = Operation(
    "Gelu-7",
    opset="opset7",
    attributes=[Attribute("approximation_mode", ("erf", "tanh"), default="erf")],
    **unary(T, between(-6.0, 6.0))
    | {
        "examples": [
            unary_example(T, (1, 128), approximation_mode="tanh"),
            unary_example(T, (3, 7, 9), approximation_mode="erf"),
        ],
        # Where one of the two formulas saturates before the other.
        "variants": {
            "far-from-zero": [
                {"data": T.default.tensor([-50.0, -14.0, -9.5, -7.25, 7.25, 9.5, 14.0, 50.0])}
                | {"approximation_mode": mode}
                for mode in ("erf", "tanh")
            ]
        },
    },
)
unary_layers(Gelu_7, approximation_mode="erf")
