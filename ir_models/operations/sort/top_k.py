"""TopK: the k largest or smallest elements along an axis (pages TopK-1, TopK-3 and TopK-11)."""

from ir_models.declaration import *
from ir_models.families.top_k import top_k

T = types("T", "any numeric type")
T_K = types("T_K", "any integer type")

UNORDERED = Reading(
    "'If there are several elements with the same value then their output order is not determined'",
    "Any of them may be chosen, in any order.",
    "The order of those that are chosen, and which they are, is one question.",
)
NO_RANGE = "the page does not say what k elements of fewer are"

TopK1 = top_k(
    "TopK-1",
    "opset1",
    T,
    T_K,
    examples=examples("""
        data=[6,12,10,24]; k=3; axis=1; mode=max; sort=value -> [6,3,10,24]
            erratum: the page has two outputs, of which the example prints the first -> [6,3,10,24],[6,3,10,24]
    """),
    range_of_k=NO_RANGE,
    readings=[
        UNORDERED,
        Reading(
            "'Arbitrary tensor', 'k -- scalar'",
            "Of any numeric type, and of any integer type.",
            "As in TopK-3; elements are compared, and k counts.",
            "silence",
            "A shorter list of types of k, of which a device refuses the others.",
        ),
        Reading(
            "indices: 'It is 1D tensor of shape [k]. The shape of the tensor is the same as for the 1st output'",
            "The shape of the first output.",
            "The second sentence gives it in full, and each slice has indices of its own.",
            "contradiction",
        ),
    ],
)

TopK3 = top_k(
    "TopK-3",
    "opset3",
    T,
    T_K,
    examples=examples("""
        data=[6,12,10,24]; k=3; axis=1; mode=max; sort=value; index_element_type=i64
            -> [6,3,10,24], [6,3,10,24]
    """),
    range_of_k=NO_RANGE,
    readings=[UNORDERED],
)

TopK11 = top_k(
    "TopK-11",
    "opset11",
    T,
    T_K,
    examples=examples("""
        data=[1,3,224,224]; k=10; axis=3; mode=max; sort=value; stable=true; index_element_type=i64
            -> [1,3,224,10], [1,3,224,10]
    """),
    range_of_k="the page leaves the behavior undefined",
    readings=[
        Reading(
            "the order of equal elements where stable is false",
            "Any order is right.",
            "The page fixes it for stable alone.",
            "silence",
        ),
    ],
    stable=True,
)
