"""BitwiseRightShift: bits moved towards the low end (page BitwiseRightShift-15)."""

from ir_models.declaration import *
from ir_models.element_types import i8, i16, i64, u8, u16, u64
from ir_models.families.elementwise import binary

T = types("T", "any supported integer type")


def shifted(layer, kind):
    """Any number; of 64 bits those of 32, beyond which there is a variant."""
    return Interval(max(kind.integer_range[0], -(2**31)), min(kind.integer_range[1], 2**31 - 1))


def shifts(layer, state):
    """So few bits that not everything is lost."""
    return state.randint(0, min(layer.b.element_type.bits, 32) // 2 + 1, layer.b.shape)


def pair(kind, a, b):
    return {"a": kind.tensor(a), "b": kind.tensor(b)}


SIGNED = tuple(kind for kind in T.types if kind.kind == "int")

BitwiseRightShift = binary(
    "BitwiseRightShift-15",
    "opset15",
    T,
    values=(Within(shifted), shifts),
    printed=("", ""),
    variants=[
        variant(
            "each-shift",
            "every number of bits, of the largest number",
            *(
                pair(kind, kind.integer_range[1], list(range(kind.bits)))
                for kind in (i8, i16, u8, u16)
            ),
        ),
        variant(
            "no-shift",
            "by 0 bits",
            *(pair(kind, [*kind.integer_range, 5], [0, 0, 0]) for kind in T.types),
        ),
        variant(
            "negative-numbers",
            "the sign stays",
            *(
                pair(kind, [-1, -8, -7, -5, kind.integer_range[0]], [1, 3, 1, 2, kind.bits - 1])
                for kind in SIGNED
            ),
        ),
        variant(
            "beyond-32-bits",
            "64-bit integers are exact",
            pair(i64, [2**40 + 5, 2**62 + 1, -(2**63), 2**53 + 1], [3, 61, 40, 1]),
            pair(u64, [2**40 + 5, 2**64 - 1, 2**63, 2**53 + 1], [3, 63, 40, 1]),
        ),
        variant(
            "shift-out-of-range",
            "the page leaves the results open; a device must survive",
            # 4 bits hold both of these numbers.
            *(pair(kind, [1, 3, 7], [kind.bits, kind.bits + 1, 2]) for kind in T.types),
            *(pair(kind, [1, 3, 7], [-1, -8, 2]) for kind in SIGNED),
        ),
    ],
    readings=[
        Reading(
            "shifts below 0 or not below the number of bits",
            "They are asked, and not judged: a device must survive.",
            "The page calls them undefined or implementation-defined.",
            "silence",
        ),
        Reading(
            "negative numbers",
            "Their sign stays: -7 >> 1 is -4, the quotient by 2^b rounded down.",
            "The page has shifts of signed numbers, and only what does not fit in the type is undefined.",
            "silence",
            admits="Zeros that come in at the high end.",
        ),
    ],
)
