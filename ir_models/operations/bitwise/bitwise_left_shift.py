"""BitwiseLeftShift: bits moved towards the high end (page BitwiseLeftShift-15)."""

from ir_models.declaration import Interval, Operation, Within, example
from ir_models.element_types import INTEGERS, i8, i16, i32, i64, types, u8, u16, u32, u64
from ir_models.elementwise import binary, binary_layers

T = types("T", INTEGERS)


def _half_bits(kind):
    """Half of the bits, of 32 in 64-bit types: what does not fit in 32 bits has a purpose of its own."""
    return min(kind.bits, 32) // 2


def _shifted(layer, kind):
    if kind.kind == "uint":
        # High bits are lost, but in u64 those of 32 bits would not be.
        return Interval(0, 2**16 - 1) if kind is u64 else None
    return Interval(-(2 ** _half_bits(kind)), 2 ** _half_bits(kind) - 1)


def _shifts(layer, state):
    """Any number of bits of an unsigned type; what no signed number of ``_shifted`` overflows by."""
    kind = layer.b.element_type
    most = kind.bits if kind.kind == "uint" and kind is not u64 else _half_bits(kind)
    return state.randint(0, most, layer.b.shape)


BitwiseLeftShift = Operation(
    "BitwiseLeftShift-15",
    opset="opset15",
    **binary(
        T,
        "none",
        "numpy",
        "pdpd",
        values=(Within(_shifted), _shifts),
        # The page's examples print no attributes.
        examples=[
            example(a=i64[256, 56], b=i64[256, 56], output=[256, 56], ports=[0, 1, 2]),
            example(a=i64[8, 1, 6, 1], b=i64[7, 1, 5], output=[8, 7, 6, 5], ports=[0, 1, 2]),
        ],
        variants={
            "each-shift": [
                {
                    "a": kind.tensor(1),
                    "b": kind.tensor(list(range(kind.bits - (kind.kind == "int")))),
                }
                for kind in (i8, i16, u8, u16)
            ],
            "no-shift": [
                {"a": kind.tensor([1, 127, 5]), "b": kind.tensor([0, 0, 0])} for kind in T.types
            ],
            "negative-numbers": [
                {"a": kind.tensor([-1, -1, -3, -5, -8]), "b": kind.tensor([7, 1, 2, 3, 4])}
                for kind in (i8, i16, i32, i64)
            ],
            # Unsigned results are taken modulo 2^n.
            "high-bits-lost": [
                {
                    "a": kind.tensor(
                        [2**kind.bits - 1, 2 ** (kind.bits - 1) + 1, 2**kind.bits - 3]
                    ),
                    "b": kind.tensor([1, 2, kind.bits - 1]),
                }
                for kind in (u8, u16, u32, u64)
            ],
            "beyond-32-bits": [
                {"a": i64.tensor([1, 5, -3, 2**33]), "b": i64.tensor([40, 32, 61, 7])},
                {"a": u64.tensor([1, 5, 3, 2**33]), "b": u64.tensor([63, 32, 61, 7])},
            ],
            # The page leaves the results open; a device must survive.
            "shift-out-of-range": [
                {"a": kind.tensor([1, 3, 7]), "b": kind.tensor([kind.bits, kind.bits + 1, 2])}
                for kind in T.types
            ]
            + [
                {"a": kind.tensor([1, 3, 7]), "b": kind.tensor([-1, -8, 2])}
                for kind in (i8, i16, i32, i64)
            ],
        },
    ),
)
binary_layers(BitwiseLeftShift)
