"""Convert: the same numbers in another element type (page Convert-1)."""

from ir_models.declaration import *
from ir_models.families.conversion import conversion
from ir_models.vocabulary.element_types import ElementType, f32, i32, string

T = types("T", "any supported type", unasked=[string])

Convert = conversion(
    "Convert-1",
    "opset1",
    T,
    lambda layer: layer.destination_type,
    "destination_type={}",
    output=lambda layer: next((t for t in T.types if t == layer.destination_type), f32),
    attributes=[Attribute("destination_type", ElementType, required=True, types=T)],
    examples=examples("data=i32[256,56]; destination_type=f32 -> [256,56]"),
    pairs=T.types,
    negative_to_unsigned="negative numbers become those congruent modulo 2^N",
    readings=[
        Reading(
            "'any supported type', 'one of the supported types T'",
            "string is not tested, neither as the source nor as the destination.",
            "The page has no word on the number that a string stands for, nor on the string of a "
            "number.",
            "silence",
        ),
        Reading(
            "numbers out of the range of the destination, but for negative integers to unsigned ones",
            "They are not judged.",
            "'The result of unsupported conversions is undefined'.",
            "silence",
        ),
    ],
)


@Convert.plain
def plain(rank=4):
    """Two types, so that there is something to convert."""
    return {"data": i32[tuple([2, 3, 5, 4, 1, 2, 3, 1][:rank])], "destination_type": f32}
