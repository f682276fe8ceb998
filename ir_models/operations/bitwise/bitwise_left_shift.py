"""BitwiseLeftShift: bits moved towards the high end (page BitwiseLeftShift-15)."""

from ir_models.declaration import *
from ir_models.families.whole_numbers import shift, shifted
from ir_models.vocabulary.element_types import i8, i16, i32, i64, u8, u16, u32, u64

T = types("T", "any supported integer type")
SIGNED, UNSIGNED = (i8, i16, i32, i64), (u8, u16, u32, u64)


def half_bits(kind):
    """Half of the bits, of 32 in 64-bit types: what does not fit in 32 bits has a variant of its own."""
    return min(kind.bits, 32) // 2


def values(layer, kind):
    if kind.kind == "uint":
        # High bits are lost, but in u64 those of 32 bits would not be.
        return Interval(0, 2**16 - 1) if kind is u64 else None
    return Interval(-(2 ** half_bits(kind)), 2 ** half_bits(kind) - 1)


def shifts(layer, state):
    """Any number of bits of an unsigned type; what no signed number of ``values`` overflows by."""
    kind = layer.b.element_type
    most = kind.bits if kind.kind == "uint" and kind is not u64 else half_bits(kind)
    return state.randint(0, most, layer.b.shape)


BitwiseLeftShift = shift(
    "BitwiseLeftShift-15",
    T,
    values,
    shifts,
    signed=SIGNED,
    no_shift=lambda kind: [1, 127 if kind.bits > 4 else 7, 5],
    beyond_32_bits=[([1, 5, -3, 2**33], [40, 32, 61, 7]), ([1, 5, 3, 2**33], [63, 32, 61, 7])],
    variants=[
        variant(
            "each-shift",
            "every number of bits that keeps the 1",
            *(
                shifted(kind, 1, list(range(kind.bits - (kind.kind == "int"))))
                for kind in (i8, i16, u8, u16)
            ),
        ),
        variant(
            "negative-numbers",
            "the sign stays",
            *(shifted(kind, [-1, -1, -3, -5, -8], [7, 1, 2, 3, 4]) for kind in SIGNED),
        ),
        variant(
            "high-bits-lost",
            "unsigned results are taken modulo 2^n",
            *(
                shifted(kind, [2**n - 1, 2 ** (n - 1) + 1, 2**n - 3], [1, 2, n - 1])
                for kind in UNSIGNED
                for n in [kind.bits]
            ),
        ),
    ],
    undefined="shifts below 0 or not below the number of bits, results that a signed type does not hold",
    examples=examples("""
        a=i64[256,56]; b=i64[256,56] -> [256,56]
        a=i64[8,1,6,1]; b=i64[7,1,5] -> [8,7,6,5]
    """),
)
