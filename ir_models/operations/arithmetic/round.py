"""Round: the nearest whole number (page Round-5)."""

from ir_models.declaration import Attribute, Operation
from ir_models.element_types import NUMERIC, bf16, f16, f32, f64, types
from ir_models.elementwise import unary, unary_example, unary_layers

T = types("T", NUMERIC)

_MODES = ("half_to_even", "half_away_from_zero")

# Of each type, numbers around which adding a half and taking the floor goes wrong.
_JUST_BELOW_HALF = {
    f16: 0.5 - 2.0**-12,
    bf16: 0.5 - 2.0**-9,
    f32: 0.5 - 2.0**-25,
    f64: 0.5 - 2.0**-25,
}
_LAST_HALF = {f16: 1023.5, bf16: 127.5, f32: 2.0**23 - 0.5, f64: 2.0**23 - 0.5}
_FIRST_ODD = {f16: 1025.0, bf16: 129.0, f32: 2.0**23 + 1, f64: 2.0**23 + 1}

Round = Operation(
    "Round-5",
    opset="opset5",
    attributes=[Attribute("mode", _MODES, default="half_to_even")],
    **unary(T)
    | {
        "examples": [unary_example(T, (256, 56), mode="half_to_even")],
        "variants": {
            # The page's own numbers.
            "halves": [
                {"data": kind.tensor([-4.5, -1.9, -1.5, 0.5, 0.9, 1.5, 2.3, 2.5]), "mode": mode}
                for kind in (f16, f32, f64, bf16)
                for mode in (*_MODES, None)
            ],
            "near-halves": [
                {
                    "data": kind.tensor(
                        [sign * values[kind] for values in tables for sign in (1.0, -1.0)]
                    ),
                    "mode": mode,
                }
                for tables in [(_JUST_BELOW_HALF, _LAST_HALF, _FIRST_ODD)]
                for kind in (f16, f32, f64, bf16)
                for mode in _MODES
            ],
        },
    },
)
unary_layers(Round, mode="half_away_from_zero")
