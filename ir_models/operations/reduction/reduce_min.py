"""ReduceMin: the smallest numbers over axes (page ReduceMin-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import EXTREMES, reduction

T = types("T", "any supported numeric type")

ReduceMin = reduction(
    "ReduceMin-1",
    "opset1",
    T,
    of_nothing=False,
    variants=EXTREMES,
    readings=[
        Reading(
            "NaN among the numbers",
            "The result is not judged.",
            "The page gives NaN no order.",
            "silence",
        ),
    ],
)
