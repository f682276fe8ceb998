"""Floor: the largest whole number that is not greater (page Floor-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary

T = types("T", "any numeric type")

# Just below and above 1, the last half of a type, and its largest odd number; 0 and a number next to it.
NEAR = {
    "f16": [1 - 2.0**-11, 1 + 2.0**-10, 1023.5, 2047.0, 0.0, 2.0**-14],
    "bf16": [1 - 2.0**-8, 1 + 2.0**-7, 127.5, 255.0, 0.0, 2.0**-100],
    "f32": [1 - 2.0**-24, 1 + 2.0**-23, 2.0**23 - 0.5, 2.0**24 - 1, 0.0, 2.0**-100],
    "f64": [1 - 2.0**-24, 1 + 2.0**-23, 2.0**23 - 0.5, 2.0**24 - 1, 0.0, 2.0**-100],
}

Floor = unary(
    "Floor-1",
    "opset1",
    T,
    example=(256, 56),
    variants=[
        variant(
            "near-whole",
            "numbers next to whole ones, of both signs",
            *(f"data={kind}:{[*near, *(-x for x in near)]}" for kind, near in NEAR.items()),
        )
    ],
)
