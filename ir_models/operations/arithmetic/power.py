"""Power: a to the power of b (page Power-1)."""

from ir_models.declaration import Interval, Operation, Within
from ir_models.element_types import NUMERIC, f32, i32, i64, types, u64
from ir_models.elementwise import binary, binary_layers

T = types("T", NUMERIC)

HIGHEST_POWER = 4


def base(layer, kind):
    """Reals whose powers are real; integers whose fourth power fits."""
    if not kind.is_integer:
        return Interval(0.1, 8.0)
    low, high = kind.integer_range
    most = int(min(high, 2**31 - 1) ** (1 / HIGHEST_POWER))
    return Interval(max(low, -most), most)


def exponent(layer, kind):
    return Interval(-4.0, 4.0) if kind.is_float else Interval(0, HIGHEST_POWER)


Power = Operation(
    "Power-1",
    opset="opset1",
    **binary(
        T,
        "none",
        "numpy",
        values=(Within(base), Within(exponent)),
        variants={
            "exponent": [
                {"a": [2, 3, 5, 4], "b": f32.tensor(b)}
                for b in (2.0, 3.0, 0.5, -1.0, -0.5, -2.0, [0.0, 1.0, 10.0, -4.5])
            ],
            "negative-base": [
                {
                    "a": f32.tensor([-2.5, -1.5, -3.0, -0.75, -2.0, -1.0]),
                    "b": f32.tensor([2.0, 3.0, -1.0, -2.0, 0.0, 7.0]),
                },
                {"a": i32.tensor([-2, -3, -1, -5, 2]), "b": i32.tensor([3, 2, 5, 0, 10])},
            ],
            "beyond-32-bits": [
                {"a": i64.tensor([-3, 2**31 + 1, 7, -1]), "b": i64.tensor([39, 1, 22, 2**33 + 1])},
                {"a": u64.tensor([3, 2**63 + 1, 65537, 15]), "b": u64.tensor([40, 1, 3, 16])},
            ],
        },
    ),
)
binary_layers(Power)
