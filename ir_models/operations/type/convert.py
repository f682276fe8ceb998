"""Convert: the same numbers in another element type (page Convert-1)."""

import ml_dtypes

from ir_models.declaration import *
from ir_models.element_types import (
    ElementType,
    boolean,
    f4e2m1,
    f8e8m0,
    f32,
    i32,
    nf4,
    string,
    u1,
)
from ir_models.families.elementwise import unary

T = types("T", "any supported type", unasked=[string])
NOT_IN_F4E2M1 = (-7, -5, 5, 7)
# Types that share one number with f8e8m0: converted, all elements are alike.
HARDLY_ANY = {boolean, u1, nf4}


def ends(kind):
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


def in_both(layer, kind):
    """Numbers that both types hold, but for their fractions."""
    target = layer.destination_type
    if not isinstance(target, ElementType) or string in (kind, target):
        return None
    pair = (kind, target)
    (low, high), (least, most) = ends(kind), ends(target)
    low, high = max(low, least), min(high, most)
    # Few numbers, none of them with a fraction: between two neighbours there is a choice.
    if f8e8m0 in pair:
        return [1, 2, 4, 8] if high >= 8 else [1, 2] if high >= 2 else [1]
    if nf4 in pair or min(kind.bits, target.bits) < 8 or boolean in pair:
        left_out = NOT_IN_F4E2M1 if f4e2m1 in pair else ()
        return [n for n in range(-8, 9) if low <= n <= high and n not in left_out]
    # Between these lies ordinary data; small types have all of their numbers.
    least, most = (-(2**7), 2**7) if kind.is_float and kind.bits > 8 else ends(kind)
    return None if low <= least and most <= high else Interval(low, high)


def stated(kinds, numbers, targets):
    """The same numbers of each type, converted into each target."""
    data = "|".join(f"{kind}:{numbers}" for kind in kinds.split())
    return f"data={data}; destination_type={'|'.join(targets.split())}"


def halfway(step):
    """Halfway between two numbers that differ by twice this step, and beside that."""
    return [1 + step, 1 + 3 * step, -1 - step, 1 + 1.5 * step]


# As float32 has them.
LEVELS = [
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
]
LEVELS += [-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534]
LEVELS += [0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434]
LEVELS += [0.5626170039176941, 0.7229568362236023, 1.0]

INF = float("inf")
UNSIGNED = "u8 u16 u32 u64"
FEW_BITS = "u1 u2 u3 u4 u6"
FRACTIONS = [3.141592, -3.141592, 0.5, -0.5, 1.5, 2.5, -1.75, 7.0]

Convert = unary(
    "Convert-1",
    "opset1",
    T,
    Within(in_both),
    output=lambda layer: next((t for t in T.types if t == layer.destination_type), f32),
    attributes=[Attribute("destination_type", ElementType, required=True, types=T)],
    examples=examples("data=i32[256,56]; destination_type=f32 -> [256,56]"),
    variants=[
        variant(
            "type-pairs",
            "from any type to any type",
            *(
                {"data": kind[2, 3, 5, 4], "destination_type": target}
                for kind in T.types
                for target in T.types
                if not (f8e8m0 in (kind, target) and HARDLY_ANY & {kind, target})
            ),
        ),
        *variants(f"""
            negative-to-unsigned: negative numbers become those congruent modulo 2^N
                {stated("i4", [-1, 5, -(2**3), -(2**3) + 1, -5], UNSIGNED)}
                {stated("i8", [-1, 5, -(2**7), -(2**7) + 1, -7], UNSIGNED)}
                {stated("i16", [-1, 5, -(2**15), -(2**15) + 1, -7], UNSIGNED)}
                {stated("i32", [-1, 5, -(2**31), -(2**31) + 1, -7], UNSIGNED)}
                {stated("i64", [-1, 5, -(2**63), -(2**63) + 1, -7], UNSIGNED)}
            negative-to-few-bits: N is less than 8
                {stated("i4 i8 i32 i64", [-1, 1, -8, -7, 0, -3, -6, -5, -2], FEW_BITS)}
            fractions: reals lose their fractions
                {stated("f16 f32 f64 bf16", FRACTIONS, "i8 i32 i64")}
            to-boolean: whatever is not zero is true
                {stated("f32 f16 i8 u8 i32 i64", [0, 1, 2, 0, 100, 0], "boolean")}
            halfway: a choice between two numbers of the destination
                {stated("f32", halfway(2.0**-11), "f16")}
                {stated("f32", halfway(2.0**-8), "bf16")}
                {stated("f64", halfway(2.0**-24), "f32")}
                {stated("f16", halfway(2.0**-8), "bf16")}
            levels: each number of nf4, which integers do not come near
                {stated("f32", LEVELS, "nf4")}
            powers: a power of two that f8e8m0 has
                {stated("f32", [2.0**-100, 1.0, 16.0, 2.0**31, 2.0**100], "f8e8m0")}
            out-of-range: the page leaves the results open; a device must survive
                {stated("f32", [1e30, -1e30, INF, -INF, 300.0, 5.0], "i8 u8 i32 u32 i64 u64 f16")}
            large-integers: integers that fewer bits do not hold
                {stated("i64", [2**53 + 1, -(2**62) - 3, 2**40 + 1], "f64 u64")}
                {stated("u64", [2**63 - 1, 2**53 + 1, 2**40 + 1], "i64")}
                {stated("f64", [2.0**40 + 1, -(2.0**52), 2.0**62], "i64")}
                {stated("f64", [2.0**40 + 1, 2.0**52 + 3, 2.0**63], "u64")}
                {stated("i32", [2**24 + 1, -(2**31) + 1, 2**31 - 1], "f64")}
        """),
    ],
    readings=[
        Reading(
            "'any supported type', 'one of the supported types T'",
            "string is not asked, neither as the source nor as the destination.",
            "The page has no word on the number that a string stands for, nor on the string of a "
            "number.",
            "silence",
        ),
        Reading(
            "real numbers that the destination does not have",
            "Either neighbour is right; for an integer destination the number without its fraction.",
            "'a 32-bit float 3.141592 may be round to a 32-bit int 3'.",
            "silence",
        ),
        Reading(
            "numbers out of the range of the destination, but for negative integers to unsigned ones",
            "They are not judged.",
            "'The result of unsupported conversions is undefined'.",
            "silence",
        ),
    ],
)


Convert.converts = True


@Convert.plain
def plain(rank=4):
    """Two types, so that there is something to convert."""
    return {"data": i32[tuple([2, 3, 5, 4, 1, 2, 3, 1][:rank])], "destination_type": f32}
