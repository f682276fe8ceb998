"""HardSigmoid: max(0, min(1, αx + β)) (page HardSigmoid-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any floating-point type")

# With alpha 0.25 and beta 0.5, -2 and 2 are the ends.
ENDS = "[-2.25,-2.0,-1.75,0.0,1.75,2.0,2.25,100.0]"

HardSigmoid = unary(
    "HardSigmoid-1",
    "opset1",
    T,
    reals(-5.0, 5.0),
    numbers=[
        Index("alpha", T, exactly(0), plain=0.1875),
        Index("beta", T, exactly(0), plain=0.5625),
    ],
    examples=examples("data=f32[256,56]; alpha=0.2; beta=0.5 -> [256,56]"),
    variants=variants(f"""
        ends: both sides of where the line meets 0 and 1
            data=f32:{ENDS}; alpha=0.25; beta=0.5
            data=f16:{ENDS}; alpha=f16:0.25; beta=f16:0.5
            data=bf16:{ENDS}; alpha=bf16:0.25; beta=bf16:0.5
        slopes: alpha and beta are any numbers
            alpha=-0.2; beta=0.5
            alpha=0.125; beta=-0.25
            alpha=0.25; beta=1.5
        flat (may be constant): a slope of 0 gives beta
            alpha=0.0; beta=0.75
    """),
    readings=[
        Reading(
            "alpha and beta of the example", "0.2 and 0.5.", "The page prints no values.", "silence"
        )
    ],
)
