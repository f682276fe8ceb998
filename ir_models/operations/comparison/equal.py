"""Equal: whether elements are equal (page Equal-1)."""

from ir_models.declaration import Operation, Within
from ir_models.element_types import (
    ANY,
    BOOLEAN,
    bf16,
    f8e8m0,
    f16,
    f32,
    f64,
    i32,
    i64,
    nf4,
    string,
    types,
    u64,
)
from ir_models.elementwise import binary, binary_layers

T = types("T", ANY)
T_BOOL = types("T_BOOL", BOOLEAN)


def _few(layer, kind):
    """So few numbers that many are equal."""
    if kind is string:
        return None
    if kind is f8e8m0:
        return [1, 2, 4, 8]
    if kind is nf4:
        return [-1, 0, 1]
    if kind.is_float:
        return range(-1, 3)
    low, high = (0, 1) if kind.kind == "boolean" else kind.integer_range
    return range(max(low, -1), min(high, 2) + 1)


_FEW = Within(_few)

# What differs in the last bit of a type, but not in a shorter one.
_NEIGHBOURS = (
    (f16, [1.0, 1.0, 2048.0, -0.125], [1.0, 1 + 2.0**-10, 2050.0, -0.125]),
    (bf16, [1.0, 1.0, 256.0, -0.125], [1.0, 1 + 2.0**-7, 258.0, -0.125]),
    (f32, [1.0, 1.0, 2.0**24, -0.1], [1.0, 1 + 2.0**-23, 2.0**24 + 2, -0.1]),
    (f64, [1.0, 1.0, 2.0**53, -0.1], [1.0, 1 + 2.0**-52, 2.0**53 + 2, -0.1]),
    (i32, [2**24, 2**24, -(2**31), 2**31 - 1], [2**24, 2**24 + 1, 2**31 - 1, 2**31 - 1]),
    (i64, [2**53, 2**53, 5, -(2**63)], [2**53, 2**53 + 1, 2**32 + 5, -(2**63)]),
    (u64, [2**53, 2**53, 5, 2**64 - 1], [2**53, 2**53 + 1, 2**32 + 5, 2**64 - 1]),
)

Equal = Operation(
    "Equal-1",
    opset="opset1",
    **binary(
        T,
        "none",
        "numpy",
        "pdpd",
        values=(_FEW, _FEW),
        output=T_BOOL,
        variants={
            "neighbours": [
                {"a": kind.tensor(a), "b": kind.tensor(b)} for kind, a, b in _NEIGHBOURS
            ],
            "zeros-of-both-signs": [
                {"a": kind.tensor([0.0, -0.0, 0.0, 1.0]), "b": kind.tensor([-0.0, 0.0, 0.0, -1.0])}
                for kind in (f16, f32, f64, bf16)
            ],
        },
    ),
)
binary_layers(Equal)
