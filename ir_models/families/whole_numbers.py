"""What operations ask that turn on whole numbers: their neighbours, remainders, and moved bits.

Floor = unary("Floor-1", "opset1", T, example=(256, 56), variants=[NEAR_WHOLE])
Mod = remainder("Mod-1", T, division="truncated")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.families.elementwise import DIVISORS, HALVES, binary
from ir_models.vocabulary.element_types import ElementType, i64, u64

# Just below and above 1, the last half of a type, and its largest odd number; 0 and a number next to it.
_NEAR = {
    "f16": [1 - 2.0**-11, 1 + 2.0**-10, 1023.5, 2047.0, 0.0, 2.0**-14],
    "bf16": [1 - 2.0**-8, 1 + 2.0**-7, 127.5, 255.0, 0.0, 2.0**-100],
    "f32": [1 - 2.0**-24, 1 + 2.0**-23, 2.0**23 - 0.5, 2.0**24 - 1, 0.0, 2.0**-100],
    "f64": [1 - 2.0**-24, 1 + 2.0**-23, 2.0**23 - 0.5, 2.0**24 - 1, 0.0, 2.0**-100],
}
NEAR_WHOLE = variant(
    "near-whole",
    "numbers next to whole ones, of both signs",
    *(f"data={kind}:{[*near, *(-x for x in near)]}" for kind, near in _NEAR.items()),
)

_A, _B = "[7,7,-7,-7,6,-6,0,1,-1]", "[2,-2,2,-2,3,3,5,9,9]"


def remainder(
    name: str, types: TypeSet, *, division: str, examples: Sequence[Example]
) -> Operation:
    """The remainder of a division of a by b whose quotient is ``truncated`` or ``floored``."""
    sign = {"truncated": "dividend", "floored": "divisor"}[division]
    return binary(
        name,
        "opset1",
        types,
        broadcasts=("none", "numpy"),
        values=(HALVES, DIVISORS),
        examples=examples,
        variants=variants(f"""
            signs: the remainder has the sign of the {sign}
                a=f32:{_A}; b=f32:{_B}
                a=f16:{_A}; b=f16:{_B}
                a=i8:{_A}; b=i8:{_B}
                a=i32:{_A}; b=i32:{_B}
                a=i64:{_A}; b=i64:{_B}
                a=f32:[5.5,-5.5,5.5,-5.5]; b=f32:[1.5,1.5,-1.5,-1.5]
            ends: the least and the largest number of a type
                a=i8:[-128,127,-128,127]; b=i8:[127,-128,-127,10]
                a=i32:[-2147483648,2147483647,-2147483648]; b=i32:[2147483647,-2147483648,1000]
                a=u8:[255,254,0]; b=u8:[254,255,7]
                a=u32:[4294967295,5]; b=u32:[4294967294,4294967295]
            beyond-24-bits: integers are exact
                a=i32:[16777217,-16777219,33554435]; b=i32:[10,10,16777217]
            beyond-32-bits: 64-bit integers are exact
                a=i64:[4294967297,-9007199254740993,-9223372036854775808]; b=i64:[10,1000,4294967297]
                a=u64:[4294967297,9007199254740993,18446744073709551615]; b=u64:[10,1000,4294967296]
            large-quotients: a remainder lies between 0 and the divisor, however many digits the quotient has
                a=f32:[100000000.0,-100000000.0,123456792.0,98765432.0]; b=f32:[3.0,3.0,7.0,-11.0]
        """),
        readings=[
            Reading(
                "result of a division by zero",
                "It is not judged.",
                "The page calls it undefined.",
                "silence",
            ),
            Reading(
                "reals whose quotient is large, or rounds to an integer",
                "Any remainder from 0 to the divisor is right for the first, either end for the second.",
                f"The page defines the remainder by a {division} division and does not fix its precision.",
                "silence",
            ),
        ],
    )


def shifted(kind: ElementType, a: Any, b: Any) -> Mapping[str, Any]:
    """A layer that moves the bits of ``a`` by ``b`` places."""
    return {"a": kind.tensor(a), "b": kind.tensor(b)}


def shift(
    name: str,
    types: TypeSet,
    values: Any,
    shifts: Any,
    *,
    examples: Sequence[Example],
    signed: Sequence[ElementType],
    no_shift: Any,
    beyond_32_bits: Sequence[tuple[Sequence[int], Sequence[int]]],
    variants: Sequence[Variant],
    readings: Sequence[Reading] = (),
    undefined: str = "shifts below 0 or not below the number of bits",
    words: str = "The page calls them undefined.",
) -> Operation:
    """A shift of the bits of a by b places.

    ``no_shift`` returns numbers that a shift by 0 must keep; ``beyond_32_bits`` are numbers and shifts of i64, then of
    u64. ``signed`` are the types that may be asked for negative shifts; ``undefined`` is what the page leaves open, in
    its ``words``.
    """
    return binary(
        name,
        "opset15",
        types,
        values=(Within(values), shifts),
        examples=examples,
        variants=[
            *variants,
            variant(
                "no-shift",
                "by 0 bits",
                *(shifted(kind, no_shift(kind), [0, 0, 0]) for kind in types.types),
            ),
            variant(
                "beyond-32-bits",
                "64-bit integers are exact",
                *(
                    shifted(kind, *pair)
                    for kind, pair in zip((i64, u64), beyond_32_bits, strict=True)
                ),
            ),
            variant(
                "shift-out-of-range",
                "the page leaves the results open; a device must survive",
                # 4 bits hold both of these numbers.
                *(shifted(kind, [1, 3, 7], [kind.bits, kind.bits + 1, 2]) for kind in types.types),
                *(shifted(kind, [1, 3, 7], [-1, -8, 2]) for kind in signed),
            ),
        ],
        readings=[
            Reading(
                undefined,
                "They are tested, and not judged: a device must survive.",
                words,
                "silence",
            ),
            *readings,
        ],
    )
