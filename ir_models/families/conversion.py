"""Conversions to another element type: numbers that both types hold, and the numbers at which a conversion shows.

Convert = conversion("Convert-1", "opset1", T, lambda layer: layer.destination_type, "destination_type={}", ...)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes

from ir_models.declaration import *
from ir_models.families.elementwise import unary
from ir_models.vocabulary.element_types import ElementType, boolean, f4e2m1, f8e8m0, nf4, string, u1

_NOT_IN_F4E2M1 = (-7, -5, 5, 7)
# Types that share one number with f8e8m0: converted, all elements are alike.
_HARDLY_ANY = {boolean, u1, nf4}

# As float32 has them.
_LEVELS = [
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
]
_INF = float("inf")
_UNSIGNED = "u8 u16 u32 u64"
_FEW_BITS = "u1 u2 u3 u4 u6"
_FRACTIONS = [3.141592, -3.141592, 0.5, -0.5, 1.5, 2.5, -1.75, 7.0]


def _ends(kind: ElementType) -> tuple[float, float]:
    """The least and the largest number of a type; 64-bit integers beyond 32 bits have purposes of their own."""
    if kind.kind == "boolean":
        return 0, 1
    if kind.is_integer:
        low, high = kind.integer_range
        return (max(low, -(2**30)), min(high, 2**30)) if kind.bits == 64 else (low, high)
    if kind is nf4:
        return -1, 1
    largest = float(ml_dtypes.finfo(kind.dtype).max)
    return (2.0**-127 if kind is f8e8m0 else -largest), largest


def held_by_both(kind: ElementType, target: Any) -> Interval | Sequence[int] | None:
    """Numbers that both types hold, but for their fractions; None where any number is one, or a type is unknown."""
    if not isinstance(target, ElementType) or string in (kind, target):
        return None
    pair = (kind, target)
    (low, high), (least, most) = _ends(kind), _ends(target)
    low, high = max(low, least), min(high, most)
    # Few numbers, none of them with a fraction: between two neighbours there is a choice.
    if f8e8m0 in pair:
        return [1, 2, 4, 8] if high >= 8 else [1, 2] if high >= 2 else [1]
    if nf4 in pair or min(kind.bits, target.bits) < 8 or boolean in pair:
        left_out = _NOT_IN_F4E2M1 if f4e2m1 in pair else ()
        return [n for n in range(-8, 9) if low <= n <= high and n not in left_out]
    # Between these lies ordinary data; small types have all of their numbers.
    least, most = (-(2**7), 2**7) if kind.is_float and kind.bits > 8 else _ends(kind)
    return None if low <= least and most <= high else Interval(low, high)


def _halfway(step: float) -> list[float]:
    """Halfway between two numbers that differ by twice this step, and beside that."""
    return [1 + step, 1 + 3 * step, -1 - step, 1 + 1.5 * step]


_ROUNDED = Reading(
    "real numbers that the destination does not have",
    "Either neighbour is right; for an integer destination the number without its fraction.",
    "'a 32-bit float 3.141592 may be round to a 32-bit int 3'.",
    "silence",
)


def _type_pairs(written: str, pairs: Sequence[ElementType]) -> Variant:
    return variant(
        "type-pairs",
        "from any type to any type",
        *(
            f"data={kind[2, 3, 5, 4]}; {written.format(other)}"
            for kind in pairs
            for other in pairs
            if not (f8e8m0 in (kind, other) and _HARDLY_ANY & {kind, other})
        ),
    )


def _variants(written: str, negative_to_unsigned: str, few_bits: bool) -> list[Variant]:
    """Variants about numbers that the other type has or has not."""

    def stated(kinds: str, numbers: Sequence[float], targets: str) -> str:
        """The same numbers of each type, converted into each target."""
        data = "|".join(f"{kind}:{list(numbers)}" for kind in kinds.split())
        field, _, value = written.partition("=")
        return f"data={data}; {field}={'|'.join(map(value.format, targets.split()))}"

    to_few_bits = f"""
        negative-to-few-bits: N is less than 8
            {stated("i4 i8 i32 i64", [-1, 1, -8, -7, 0, -3, -6, -5, -2], _FEW_BITS)}
        levels: each number of nf4, which integers do not come near
            {stated("f32", _LEVELS, "nf4")}
    """
    return variants(f"""
        negative-to-unsigned: {negative_to_unsigned}
            {stated("i4", [-1, 5, -(2**3), -(2**3) + 1, -5], _UNSIGNED)}
            {stated("i8", [-1, 5, -(2**7), -(2**7) + 1, -7], _UNSIGNED)}
            {stated("i16", [-1, 5, -(2**15), -(2**15) + 1, -7], _UNSIGNED)}
            {stated("i32", [-1, 5, -(2**31), -(2**31) + 1, -7], _UNSIGNED)}
            {stated("i64", [-1, 5, -(2**63), -(2**63) + 1, -7], _UNSIGNED)}
        fractions: reals lose their fractions
            {stated("f16 f32 f64 bf16", _FRACTIONS, "i8 i32 i64")}
        to-boolean: whatever is not zero is true
            {stated("f32 f16 i8 u8 i32 i64", [0, 1, 2, 0, 100, 0], "boolean")}
        halfway: a choice between two numbers of the destination
            {stated("f32", _halfway(2.0**-11), "f16")}
            {stated("f32", _halfway(2.0**-8), "bf16")}
            {stated("f64", _halfway(2.0**-24), "f32")}
            {stated("f16", _halfway(2.0**-8), "bf16")}
        powers: a power of two that f8e8m0 has
            {stated("f32", [2.0**-100, 1.0, 16.0, 2.0**31, 2.0**100], "f8e8m0")}
        out-of-range: the page leaves the results open; a device must survive
            {stated("f32", [1e30, -1e30, _INF, -_INF, 300.0, 5.0], "i8 u8 i32 u32 i64 u64 f16")}
        large-integers: integers that fewer bits do not hold
            {stated("i64", [2**53 + 1, -(2**62) - 3, 2**40 + 1], "f64 u64")}
            {stated("u64", [2**63 - 1, 2**53 + 1, 2**40 + 1], "i64")}
            {stated("f64", [2.0**40 + 1, -(2.0**52), 2.0**62], "i64")}
            {stated("f64", [2.0**40 + 1, 2.0**52 + 3, 2.0**63], "u64")}
            {stated("i32", [2**24 + 1, -(2**31) + 1, 2**31 - 1], "f64")}
            {to_few_bits if few_bits else ""}
    """)


def conversion(
    name: str,
    opset: str,
    types: TypeSet,
    target: Callable[[Layer], Any],
    written: str,
    *,
    pairs: Sequence[ElementType],
    negative_to_unsigned: str,
    readings: Sequence[Reading],
    extra: Sequence[Variant] = (),
    few_bits: bool = True,
    **options: Any,
) -> Operation:
    """The numbers of ``data`` in another element type, which ``target`` tells of a layer.

    ``written``: how a change says the type, ``{}`` for its name. ``pairs``: the types that are all converted into each
    other. ``negative_to_unsigned``: what the page says of negative numbers there. ``few_bits``: to types of 1, 3 and 6
    bits, and nf4, too. ``options`` are those of ``unary``.
    """

    operation = unary(
        name,
        opset,
        types,
        Within(lambda layer, kind: held_by_both(kind, target(layer))),
        variants=[
            _type_pairs(written, pairs),
            *_variants(written, negative_to_unsigned, few_bits),
            *extra,
        ],
        readings=[
            _ROUNDED,
            *readings,
        ],
        **options,
    )
    operation.converts = True
    return operation
