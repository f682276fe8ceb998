"""AdaptiveAvgPool: the average of each of a number of windows (page AdaptiveAvgPool-8)."""

from ir_models.declaration import *
from ir_models.families.adaptive import T, adaptive

AdaptiveAvgPool = adaptive(
    "AdaptiveAvgPool-8",
    outputs=[Output("y", T)],
    readings=[
        Reading(
            "Output(i,j,k) = Input[d_start:d_end, h_start:h_end, w_start:w_end] / (number of elements)",
            "The sum of these elements is divided.",
            "'Applies average pooling'.",
            "slip",
        )
    ],
)
