"""Sqrt: square root (page Sqrt-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary

T = types("T", "any numeric type")


def not_negative(layer, kind):
    if not kind.is_integer:
        return Interval(0.0, 60000.0)
    return Interval(0, min(kind.integer_range[1], 2**31 - 1))


Sqrt = unary(
    "Sqrt-1",
    "opset1",
    T,
    Within(not_negative),
    # "int" of the second is any integer type.
    examples=examples("""
        data=f32:[4.0,7.0,9.0,10.0] -> [4]
        data=i32:[4,7,9,10] -> [4]
        data=f32[256,56] -> [256,56]
    """),
    variants=variants("""
        beyond-32-bits: one less than the square of a number, which float64 rounds to the square
            data=i64:[4611686018427387903,4611686014132420608,2305843009213693951,16]
    """),
    readings=[
        Reading(
            "a negative input",
            "It is not judged.",
            "'undefined'.",
            "silence",
        ),
    ],
)
