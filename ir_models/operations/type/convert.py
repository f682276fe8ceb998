"""Convert: the same numbers in another element type (page Convert-1)."""

import ml_dtypes

from ir_models import elementwise
from ir_models.declaration import Attribute, Interval, Operation, Output, Within, example
from ir_models.element_types import (
    ANY,
    ElementType,
    bf16,
    boolean,
    f4e2m1,
    f8e8m0,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    nf4,
    string,
    types,
    u1,
    u8,
    u16,
    u32,
    u64,
)

# Strings are no numbers: the page says nothing of what converting one would give.
T = types("T", (kind for kind in ANY if kind is not string))


def _ends(kind):
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


def _usual(kind):
    """Between what numbers ordinary data lies; small types have all of theirs."""
    low, high = _ends(kind)
    return (-(2**7), 2**7) if kind.is_float and kind.bits > 8 else (low, high)


def _output_type(layer):
    kind = layer.destination_type
    return kind if isinstance(kind, ElementType) else f32


def _in_both(layer, kind):
    """Numbers that both types hold, but for their fractions."""
    target = layer.destination_type
    if not isinstance(target, ElementType) or string in (kind, target):
        return None
    (low, high), (least, most) = _ends(kind), _ends(target)
    low, high = max(low, least), min(high, most)
    # Few numbers, none of them with a fraction: between two neighbours there is a choice.
    if f8e8m0 in (kind, target):
        return [1, 2, 4, 8] if high >= 8 else [1, 2] if high >= 2 else [1]
    if nf4 in (kind, target) or min(kind.bits, target.bits) < 8 or boolean in (kind, target):
        return [
            n
            for n in range(-8, 9)
            if low <= n <= high and not (f4e2m1 in (kind, target) and n in _NOT_F4E2M1)
        ]
    least, most = _usual(kind)
    return None if low <= least and most <= high else Interval(low, high)


_NOT_F4E2M1 = (-7, -5, 5, 7)
# Types that share one number with f8e8m0: converted, all elements are alike.
_HARDLY_ANY = {boolean, u1, nf4}
_SIGNED = (i8, i16, i32, i64)
_UNSIGNED = (u8, u16, u32, u64)

Convert = Operation(
    "Convert-1",
    opset="opset1",
    attributes=[Attribute("destination_type", ElementType, required=True, types=T)],
    **elementwise.unary(T, Within(_in_both))
    | {
        "outputs": [Output("output", _output_type)],
        "examples": [
            example(data=i32[256, 56], destination_type=f32, output=[256, 56], ports=[0, 1])
        ],
        "variants": {
            "type-pairs": [
                {"data": kind[2, 3, 5, 4], "destination_type": target}
                for kind in T.types
                for target in T.types
                if not (f8e8m0 in (kind, target) and _HARDLY_ANY & {kind, target})
            ],
            # Modulo 2^N, as the page says.
            "negative-to-unsigned": [
                {"data": kind.tensor([-1, 5, low, low + 1, -7]), "destination_type": target}
                for kind in _SIGNED
                for low in [kind.integer_range[0]]
                for target in _UNSIGNED
            ],
            "fractions": [
                {
                    "data": kind.tensor([3.141592, -3.141592, 0.5, -0.5, 1.5, 2.5, -1.75, 7.0]),
                    "destination_type": target,
                }
                for kind in (f16, f32, f64, bf16)
                for target in (i8, i32, i64)
            ],
            "to-boolean": [
                {"data": kind.tensor([0, 1, 2, 0, 100, 0]), "destination_type": boolean}
                for kind in (f32, f16, i8, u8, i32, i64)
            ],
            # Halfway between two numbers of the destination, and beside that.
            "halfway": [
                {
                    "data": kind.tensor([1 + step, 1 + 3 * step, -1 - step, 1 + 1.5 * step]),
                    "destination_type": target,
                }
                for kind, target, step in (
                    (f32, f16, 2.0**-11),
                    (f32, bf16, 2.0**-8),
                    (f64, f32, 2.0**-24),
                    (f16, bf16, 2.0**-8),
                )
            ],
            # The page leaves the results open; a device must survive.
            "out-of-range": [
                {
                    "data": f32.tensor([1e30, -1e30, float("inf"), -float("inf"), 300.0, 5.0]),
                    "destination_type": target,
                }
                for target in (i8, u8, i32, u32, i64, u64, f16)
            ],
            "large-integers": [
                {"data": i64.tensor([2**53 + 1, -(2**62) - 3, 2**40 + 1]), "destination_type": f64},
                {"data": i64.tensor([2**53 + 1, -(2**62) - 3, 2**40 + 1]), "destination_type": u64},
                {"data": u64.tensor([2**63 - 1, 2**53 + 1, 2**40 + 1]), "destination_type": i64},
                {"data": f64.tensor([2.0**40 + 1, -(2.0**52), 2.0**62]), "destination_type": i64},
                {"data": f64.tensor([2.0**40 + 1, 2.0**52 + 3, 2.0**63]), "destination_type": u64},
                {"data": i32.tensor([2**24 + 1, -(2**31) + 1, 2**31 - 1]), "destination_type": f64},
            ],
        },
    },
)


@Convert.plain
def plain(rank=4):
    """Two types, so that there is something to convert."""
    return {"data": i32[tuple([2, 3, 5, 4, 1, 2, 3, 1][:rank])], "destination_type": f32}


@Convert.random
def layer(draw):
    rank = draw.integer(0, 6)
    common = (f16, f32, f64, bf16, *_SIGNED, *_UNSIGNED, boolean)
    return {
        "data": draw.shape(rank, most=3 if rank > 4 else 5),
        "destination_type": draw.choice(common),
    }
