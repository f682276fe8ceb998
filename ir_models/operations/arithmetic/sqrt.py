"""Sqrt: square root (page Sqrt-1)."""

from ir_models.declaration import Interval, Operation, Within, example
from ir_models.element_types import NUMERIC, f32, i32, types
from ir_models.elementwise import unary, unary_example, unary_layers

T = types("T", NUMERIC)


def not_negative(layer, kind):
    if not kind.is_integer:
        return Interval(0.0, 60000.0)
    return Interval(0, min(kind.integer_range[1], 2**31 - 1))


Sqrt = Operation(
    "Sqrt-1",
    opset="opset1",
    **unary(T, Within(not_negative))
    | {
        "examples": [
            example(data=f32.tensor([4.0, 7.0, 9.0, 10.0]), output=[4], ports=[0, 1]),
            # "int" is any integer type.
            example(data=i32.tensor([4, 7, 9, 10]), output=[4], ports=[0, 1]),
            unary_example(T, (256, 56)),
        ],
    },
)
unary_layers(Sqrt)
