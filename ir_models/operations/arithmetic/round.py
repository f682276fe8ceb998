"""Round: the nearest whole number (page Round-5)."""

from ir_models.declaration import Attribute, example, variant
from ir_models.element_types import NUMERIC, bf16, f16, f32, f64, types
from ir_models.families.elementwise import unary

T = types("T", NUMERIC)
MODES = ("half_to_even", "half_away_from_zero")

# Of each type, just below a half, the last half, the first odd number without a half.
NEAR_HALVES = {
    f16: (0.5 - 2.0**-12, 1023.5, 1025.0),
    bf16: (0.5 - 2.0**-9, 127.5, 129.0),
    f32: (0.5 - 2.0**-25, 2.0**23 - 0.5, 2.0**23 + 1),
    f64: (0.5 - 2.0**-25, 2.0**23 - 0.5, 2.0**23 + 1),
}

Round = unary(
    "Round-5",
    "opset5",
    T,
    attributes=[Attribute("mode", MODES, default="half_to_even", plain="half_away_from_zero")],
    examples=[example("data=f32[256,56]; mode=half_to_even", output=[256, 56])],
    variants=[
        variant(
            "halves",
            "the page's own numbers",
            *(
                f"data={kind}:[-4.5,-1.9,-1.5,0.5,0.9,1.5,2.3,2.5]; mode={'|'.join(MODES)}|-"
                for kind in NEAR_HALVES
            ),
        ),
        variant(
            "near-halves",
            "numbers for which adding a half and taking the floor goes wrong",
            *(
                f"data={kind}:{[sign * n for n in near for sign in (1, -1)]}; mode={'|'.join(MODES)}"
                for kind, near in NEAR_HALVES.items()
            ),
        ),
    ],
)
