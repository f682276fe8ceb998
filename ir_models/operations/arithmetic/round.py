"""Round: the nearest whole number (page Round-5)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary

T = types("T", "any numeric type")
MODES = ("half_to_even", "half_away_from_zero")
EITHER = "|".join(MODES)
PRINTED = "[-4.5,-1.9,-1.5,0.5,0.9,1.5,2.3,2.5]"


def near(half, last_half, odd):
    """Just below a half, the last half of a type, its first odd number without a half, of both signs."""
    return [sign * n for n in (half, last_half, odd) for sign in (1, -1)]


Round = unary(
    "Round-5",
    "opset5",
    T,
    attributes=[Attribute("mode", MODES, default="half_to_even", plain="half_away_from_zero")],
    examples=examples("data=f32[256,56]; mode=half_to_even -> [256,56]"),
    variants=variants(f"""
        halves: the page's own numbers
            data=f16:{PRINTED}|bf16:{PRINTED}|f32:{PRINTED}|f64:{PRINTED}; mode={EITHER}|-
        near-halves: numbers for which adding a half and taking the floor goes wrong
            data=f16:{near(0.5 - 2.0**-12, 1023.5, 1025.0)}; mode={EITHER}
            data=bf16:{near(0.5 - 2.0**-9, 127.5, 129.0)}; mode={EITHER}
            data=f32:{near(0.5 - 2.0**-25, 2.0**23 - 0.5, 2.0**23 + 1)}; mode={EITHER}
            data=f64:{near(0.5 - 2.0**-25, 2.0**23 - 0.5, 2.0**23 + 1)}; mode={EITHER}
    """),
)
