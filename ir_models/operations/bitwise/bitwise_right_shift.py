"""BitwiseRightShift: bits moved towards the low end (page BitwiseRightShift-15)."""

from ir_models.declaration import *
from ir_models.families.whole_numbers import shift, shifted
from ir_models.vocabulary.element_types import i8, i16, u8, u16

T = types("T", "any supported integer type")
SIGNED = tuple(kind for kind in T.types if kind.kind == "int")


def values(layer, kind):
    """Any number; of 64 bits those of 32, beyond which there is a variant."""
    return Interval(max(kind.integer_range[0], -(2**31)), min(kind.integer_range[1], 2**31 - 1))


def shifts(layer, state):
    """So few bits that not everything is lost."""
    return state.randint(0, min(layer.b.element_type.bits, 32) // 2 + 1, layer.b.shape)


BitwiseRightShift = shift(
    "BitwiseRightShift-15",
    T,
    values,
    shifts,
    signed=SIGNED,
    no_shift=lambda kind: [*kind.integer_range, 5],
    beyond_32_bits=[
        ([2**40 + 5, 2**62 + 1, -(2**63), 2**53 + 1], [3, 61, 40, 1]),
        ([2**40 + 5, 2**64 - 1, 2**63, 2**53 + 1], [3, 63, 40, 1]),
    ],
    variants=[
        variant(
            "each-shift",
            "every number of bits, of the largest number",
            *(
                shifted(kind, kind.integer_range[1], list(range(kind.bits)))
                for kind in (i8, i16, u8, u16)
            ),
        ),
        variant(
            "negative-numbers",
            "the sign stays",
            *(
                shifted(kind, [-1, -8, -7, -5, kind.integer_range[0]], [1, 3, 1, 2, kind.bits - 1])
                for kind in SIGNED
            ),
        ),
    ],
    words="The page calls them undefined or implementation-defined.",
    readings=[
        Reading(
            "negative numbers",
            "Their sign stays: -7 >> 1 is -4, the quotient by 2^b rounded down.",
            "The page has shifts of signed numbers, and only what does not fit in the type is undefined.",
            "silence",
            admits="Zeros that come in at the high end.",
        ),
    ],
    examples=examples("""
        a=i64[256,56]; b=i64[256,56] -> [256,56]
        a=i64[8,1,6,1]; b=i64[7,1,5] -> [8,7,6,5]
    """),
)
