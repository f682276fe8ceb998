"""ReduceMax: the largest numbers over axes (page ReduceMax-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import EXTREMES, OF_NOTHING, reduction

T = types("T", "any supported numeric type")

ReduceMax = reduction(
    "ReduceMax-1",
    "opset1",
    T,
    variants=EXTREMES,
    readings=[
        OF_NOTHING,
        Reading(
            "NaN among the numbers",
            "The result is not judged.",
            "The page gives NaN no order.",
            "silence",
        ),
    ],
)
