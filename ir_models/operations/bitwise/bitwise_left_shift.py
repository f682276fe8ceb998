"""BitwiseLeftShift: bits moved towards the high end (page BitwiseLeftShift-15)."""

from ir_models.declaration import *
from ir_models.element_types import i8, i16, i32, i64, u8, u16, u32, u64
from ir_models.families.elementwise import binary

T = types("T", "any supported integer type")
SIGNED, UNSIGNED = (i8, i16, i32, i64), (u8, u16, u32, u64)


def half_bits(kind):
    """Half of the bits, of 32 in 64-bit types: what does not fit in 32 bits has a variant of its own."""
    return min(kind.bits, 32) // 2


def shifted(layer, kind):
    if kind.kind == "uint":
        # High bits are lost, but in u64 those of 32 bits would not be.
        return Interval(0, 2**16 - 1) if kind is u64 else None
    return Interval(-(2 ** half_bits(kind)), 2 ** half_bits(kind) - 1)


def shifts(layer, state):
    """Any number of bits of an unsigned type; what no signed number of ``shifted`` overflows by."""
    kind = layer.b.element_type
    most = kind.bits if kind.kind == "uint" and kind is not u64 else half_bits(kind)
    return state.randint(0, most, layer.b.shape)


def pair(kind, a, b):
    return {"a": kind.tensor(a), "b": kind.tensor(b)}


BitwiseLeftShift = binary(
    "BitwiseLeftShift-15",
    "opset15",
    T,
    values=(Within(shifted), shifts),
    printed=("", ""),
    variants=[
        variant(
            "each-shift",
            "every number of bits that keeps the 1",
            *(
                pair(kind, 1, list(range(kind.bits - (kind.kind == "int"))))
                for kind in (i8, i16, u8, u16)
            ),
        ),
        variant(
            "no-shift",
            "by 0 bits",
            *(pair(kind, [1, 127 if kind.bits > 4 else 7, 5], [0, 0, 0]) for kind in T.types),
        ),
        variant(
            "negative-numbers",
            "the sign stays",
            *(pair(kind, [-1, -1, -3, -5, -8], [7, 1, 2, 3, 4]) for kind in SIGNED),
        ),
        variant(
            "high-bits-lost",
            "unsigned results are taken modulo 2^n",
            *(
                pair(kind, [2**n - 1, 2 ** (n - 1) + 1, 2**n - 3], [1, 2, n - 1])
                for kind in UNSIGNED
                for n in [kind.bits]
            ),
        ),
        variant(
            "beyond-32-bits",
            "64-bit integers are exact",
            pair(i64, [1, 5, -3, 2**33], [40, 32, 61, 7]),
            pair(u64, [1, 5, 3, 2**33], [63, 32, 61, 7]),
        ),
        variant(
            "shift-out-of-range",
            "the page leaves the results open; a device must survive",
            *(pair(kind, [1, 3, 7], [kind.bits, kind.bits + 1, 2]) for kind in T.types),
            *(pair(kind, [1, 3, 7], [-1, -8, 2]) for kind in SIGNED),
        ),
    ],
    readings=[
        Reading(
            "shifts below 0 or not below the number of bits, results that a signed type does not hold",
            "They are asked, and not judged: a device must survive.",
            "The page calls them undefined.",
            "silence",
        ),
    ],
)
