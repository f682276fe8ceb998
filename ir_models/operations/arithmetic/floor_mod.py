"""FloorMod: the remainder of a floored division (page FloorMod-1)."""

from ir_models.declaration import Operation
from ir_models.element_types import NUMERIC, f32, i8, i32, i64, types
from ir_models.elementwise import DIVISORS, HALVES, binary, binary_layers

T = types("T", NUMERIC)

FloorMod = Operation(
    "FloorMod-1",
    opset="opset1",
    **binary(
        T,
        "none",
        "numpy",
        values=(HALVES, DIVISORS),
        variants={
            "signs": [
                {
                    "a": kind.tensor([7, 7, -7, -7, 6, -6, 0, 1, -1]),
                    "b": kind.tensor([2, -2, 2, -2, 3, 3, 5, 9, 9]),
                }
                for kind in (f32, i8, i32, i64)
            ]
            + [{"a": f32.tensor([5.5, -5.5, 5.5, -5.5]), "b": f32.tensor([1.5, 1.5, -1.5, -1.5])}],
        },
    ),
)
binary_layers(FloorMod)
