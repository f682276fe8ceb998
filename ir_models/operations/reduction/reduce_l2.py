"""ReduceL2: square roots of sums of squares over axes (page ReduceL2-4)."""

import math

from ir_models.declaration import *
from ir_models.families.reductions import NORM_WITHOUT_AXES, reduced, reduction

T = types("T", "any supported numeric type")


def values(layer, kind):
    """Integers whose sum of squares fits in 32 bits and in their type; any ordinary reals.

    For types of a few bits, the norm fits.
    """
    if not kind.is_integer:
        return None
    least, high = kind.integer_range
    count = max(reduced(layer), 1)
    square = high**2 if kind.bits < 8 else min(high, 2**31 - 1)
    most = max(math.isqrt(square // count), 1)
    return Interval(max(least, -most), most)


ReduceL2 = reduction(
    "ReduceL2-4",
    "opset4",
    T,
    Within(values),
    variants=variants("""
        right-triangles: roots that are whole
            data=f32:[[3.0,-4.0],[-5.0,12.0],[0.0,-7.0]]; axes=[1]
            data=f16:[[3.0,-4.0],[-5.0,12.0],[0.0,-7.0]]; axes=[1]
            data=i8:[[3,-4],[-5,9],[0,-7]]; axes=[1]
            data=i32:[[3,-4],[-5,12],[0,-7]]; axes=[1]
        beyond-24-bits: integers are exact
            data=i32:[[30003,-40004],[20000,21000]]; axes=[1]
        beyond-32-bits: integers are exact
            data=i64:[[300003,-400004],[1800000003,2400000004]]; axes=[1]
    """),
    readings=[
        NORM_WITHOUT_AXES,
        Reading(
            "roots of integers that are no integers",
            "Either neighbour is right.",
            "The page does not say how they are rounded.",
            "silence",
        ),
    ],
)
