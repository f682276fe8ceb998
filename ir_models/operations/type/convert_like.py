"""ConvertLike: the same numbers in the element type of another tensor (page ConvertLike-1)."""

from ir_models.declaration import *
from ir_models.families.conversion import conversion
from ir_models.vocabulary.element_types import COMMON_TYPES, f32, i32, nf4, string, u1, u3, u6

T1 = types("T1", "any supported type", unasked=[string])
T2 = types("T2", "any supported type", unasked=[string, nf4, u1, u3, u6])

ConvertLike = conversion(
    "ConvertLike-1",
    "opset1",
    T1,
    lambda layer: layer.like.element_type,
    "like={}[3]",
    output=lambda layer: layer.like.element_type if layer.like else f32,
    numbers=[Input("like", T2, type_alone=True)],
    examples=examples("data=i32[256,56]; like=f32[3] -> [256,56]"),
    pairs=COMMON_TYPES,
    few_bits=False,
    negative_to_unsigned="the page leaves the results open; a device must survive",
    extra=variants("""
        like-shapes: like has any data in any shape
            like=f32[]|f32[1]|f32[2,3,5,4]|f32[5,4]|f32[4,3,2,1,2]|f32[0]|f32[2,0]
            data=i32[]; like=f32[2,3]
            data=f32[7]; like=i8[]|f16[7]
    """),
    readings=[
        Reading(
            "'any supported type'",
            "string is not tested, neither of data nor of like.",
            "The page has no word on the number that a string stands for, nor on the string of a "
            "number.",
            "silence",
        ),
        Reading(
            "'o[i] = Convert[destination_type=type(b)](a[i])'",
            "nf4, u1, u3 and u6 are not tested of like.",
            "The conversions are those of Convert-1, which is tested for them by their names.",
        ),
        Reading(
            "'undefined, e.g. conversion of negative signed integer value to any unsigned integer type', "
            "against Convert-1, which takes them modulo 2^N",
            "Numbers out of the range of the type of like are not judged, negative integers neither.",
            "'The result of unsupported conversions is undefined' is said of this very example, and comes before "
            "the formula, which refers to the other page.",
            "contradiction",
            admits="Any number.",
        ),
    ],
)


@ConvertLike.plain
def plain(rank=4):
    """Two types and two shapes, so that there is something to convert and nothing to broadcast."""
    return f"data={i32[tuple([2, 3, 5, 4, 1, 2, 3, 1][:rank])]}; like=f32[3]"


@ConvertLike.random
def layer(draw):
    return {
        "data": draw.shape(draw.integer(0, 6), most=4),
        "like": draw.shape(draw.integer(0, 4), most=4),
    }
