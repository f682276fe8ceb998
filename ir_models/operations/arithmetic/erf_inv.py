"""ErfInv: the number that has a Gauss error function (page ErfInv-17)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any supported floating-point type")

NEAR_ENDS = {
    "f32": [0.9, 0.99, 0.9999, 0.999999, 1 - 2.0**-24],
    "f16": [0.9, 0.99, 0.999, 1 - 2.0**-11],
    "bf16": [0.9, 0.99, 1 - 2.0**-8],
}

ErfInv = unary(
    "ErfInv-17",
    "opset17",
    T,
    reals(-1.0, 1.0),
    example=(256, 56),
    variants=[
        *variants("""
            special-cases: erfinv(0) = 0, erfinv(±1) = ±inf, NaN for |x| > 1
                data=f32:[0.0,1.0,-1.0,1.5,-2.0,0.5]|f16:[0.0,1.0,-1.0,1.5,-2.0,0.5]|bf16:[0.0,1.0,-1.0,1.5,-2.0,0.5]
        """),
        variant(
            "near-ends",
            "the logarithm of 1 - |x| decides",
            *(f"data={kind}:{[*near, *(-x for x in near)]}" for kind, near in NEAR_ENDS.items()),
        ),
    ],
)
