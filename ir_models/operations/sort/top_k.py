"""TopK: the k largest or smallest elements along an axis (pages TopK-1, TopK-3 and TopK-11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i32

_MODES = ("min", "max")
_SORTS = ("value", "index", "none")
_ENDS = (
    "i8:[-127,-128,127,0,126]|u8:[1,0,255,128,254]|i32:[-2147483647,-2147483648,2147483647,0,2147483646]"
    "|i64:[-2147483647,-2147483648,2147483647,0,2147483646]"
)


_NAN = Reading(
    "NaN among the elements",
    "Slices with a NaN are not judged.",
    "'The order of NaN values in the result is implementation-defined'.",
    "silence",
)


def _variants(stable: bool) -> list[Variant]:
    ways = "mode=min|max; sort=value|index|none" + ("; stable=false|true" if stable else "")
    many = ways.replace("|none", "")
    no, yes = ("; stable=false", "; stable=true") if stable else ("", "")
    page = "data=f32:[5,3,1,2,5,5]|i32:[5,3,1,2,5,5]; axis=0; k=4; mode=min"
    return [
        *variants(f"""
            axis: along any axis
                axis=0|2; k=2
            negative-axis: a negative axis counts from the end
                axis=-1|-2|-3; k=2
            k-of-one: the least k
                k=1; {ways}
            k-of-all: all elements in order
                k=7; {ways}
        """),
        variant("distinct-elements", "without equal elements there is one answer", ways),
        *variants(f"""
            equal-elements: stable: equal elements keep their order, on both sides of the k-th place
                data=f32:[[4,7,4,1],[7,4,4,1],[4,4,4,4]]; axis=0|1; k=2; {ways}
            equal-elements-of-the-page: its own example, sorted by index
                {page}; sort=index{no}
                {page}; sort={"index|value" if stable else "value"}{yes}
            many-equal-elements: more elements than the type has values
                data=i8[700,2]; axis=0; k=5|300|700; {many}
                data=u8[3,700]; axis=1; k=5|300|700; {many}
            long-axis: there is no limit to the dimension
                data=f32[3,5000]|f16[2,2000]; axis=1; k=1|20|1999; sort=value|index
                data=f32[5000,3]; axis=0; k=1|20|1999; sort=value|index
            zeros-of-both-signs: zeros are equal
                data=f32:[0.0,-0.0,-1.0,0.0,2.0]; axis=0; k=3; mode=min|max
            infinities: infinities are the ends
                data=f32:[1.0,inf,-2.0,-inf,3.0]; axis=0; k=4; mode=min|max
            ends-of-the-type: all integers
                data={_ENDS}; axis=0; k=3; mode=min|max
        """),
    ]


def _drawn(draw: Draw, stable: bool) -> Mapping[str, Any]:
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=4)
    axis = draw.integer(-rank, rank - 1)
    shape[axis] = draw.integer(1, 40 if rank < 4 else 8)
    given = {
        "data": shape,
        "k": draw.integer(1, shape[axis]),
        "axis": axis,
        "mode": draw.choice(_MODES),
        "sort": draw.choice(_SORTS),
    }
    if stable:
        given["stable"] = draw.choice([True, False, None])
    return {**given, "index_element_type": draw.choice(["i64", "i32", None])}


def _plain(rank: int, stable: bool) -> Mapping[str, Any]:
    """Indices of i64 and a stable order, which are not the defaults."""
    given = {
        "data": [4, 7, 5, 3, 2, 2, 1, 2][:rank] if rank > 1 else [7],
        "k": 3,
        "axis": min(1, rank - 1),
        "mode": "max",
        "sort": "value",
        "index_element_type": "i64",
    }
    return {**given, "stable": True} if stable else given


def top_k(
    name: str,
    opset: str,
    types: TypeSet,
    types_of_k: TypeSet,
    *,
    examples: Sequence[Example],
    range_of_k: str,
    readings: Sequence[Reading] = (),
    stable: bool = False,
) -> Operation:
    """``stable``: an attribute says whether equal elements keep their order. ``range_of_k``: what the page says of k
    beyond the dimension, for which no case asks.
    """
    kept = Attribute("stable", bool, default=False)
    operation = Operation(
        name,
        opset,
        # Of a scalar, the page's arbitrary rank notwithstanding, there is no axis.
        inputs=[Input("data", types, at_least(1)), Index("k", types_of_k, exactly(0))],
        outputs=[
            Output("values", types),
            Output("indices", lambda layer: ELEMENT_TYPES.get(layer.index_element_type, i32)),
        ],
        attributes=[
            Attribute("axis", int, required=True, axis_of="data"),
            Attribute("mode", _MODES, required=True),
            Attribute("sort", _SORTS, required=True),
            *([kept] if stable else []),
            Attribute("index_element_type", ("i64", "i32"), default="i32"),
        ],
        examples=examples,
        rules=[
            rule(
                "k is at least 1 and at most the dimension at axis",
                lambda layer: 1 <= layer.k.value <= layer.data.shape[layer.axis],
                unasked=range_of_k,
            )
        ],
        variants=_variants(stable),
        readings=[*readings, _NAN],
    )

    operation.plain(lambda rank=3: _plain(rank, stable))
    operation.random(lambda draw: _drawn(draw, stable))

    @operation.adapt
    def k_in_range(layer: Layer) -> Mapping[str, Any]:
        return {"k": min(layer.k.value, layer.data.shape[layer.axis])}

    return operation


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
