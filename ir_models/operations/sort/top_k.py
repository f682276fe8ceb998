"""TopK: the k largest or smallest elements along an axis, and where they stand (page TopK-11)."""

from ir_models.declaration import *
from ir_models.element_types import ELEMENT_TYPES, i32

T = types("T", "any numeric type")
T_K = types("T_K", "any integer type")

MODES = ("min", "max")
SORTS = ("value", "index", "none")
WAYS = "mode=min|max; sort=value|index|none; stable=false|true"
MANY = "k=5|300|700; mode=min|max; sort=value|index; stable=false|true"
ENDS = (
    "i8:[-127,-128,127,0,126]|u8:[1,0,255,128,254]|i32:[-2147483647,-2147483648,2147483647,0,2147483646]"
    "|i64:[-2147483647,-2147483648,2147483647,0,2147483646]"
)

TopK = Operation(
    "TopK-11",
    "opset11",
    # Of a scalar, the page's arbitrary rank notwithstanding, there is no axis.
    inputs=[Input("data", T, at_least(1)), Index("k", T_K, exactly(0))],
    outputs=[
        Output("values", T),
        Output("indices", lambda layer: ELEMENT_TYPES.get(layer.index_element_type, i32)),
    ],
    attributes=[
        Attribute("axis", int, required=True, axis_of="data"),
        Attribute("mode", MODES, required=True),
        Attribute("sort", SORTS, required=True),
        Attribute("stable", bool, default=False),
        Attribute("index_element_type", ("i64", "i32"), default="i32"),
    ],
    examples=examples("""
        data=[1,3,224,224]; k=10; axis=3; mode=max; sort=value; stable=true; index_element_type=i64
            -> [1,3,224,10], [1,3,224,10]
    """),
    rules=[
        rule(
            "k is at least 1 and at most the dimension at axis",
            lambda layer: 1 <= layer.k.value <= layer.data.shape[layer.axis],
            unasked="the page leaves the behavior undefined",
        )
    ],
    variants=[
        variant("axis", "along any axis", "axis=0|2; k=2"),
        variant("negative-axis", "a negative axis counts from the end", "axis=-1|-2|-3; k=2"),
        variant("k-of-one", "the least k", f"k=1; {WAYS}"),
        variant("k-of-all", "all elements in order", f"k=7; {WAYS}"),
        variant("distinct-elements", "without equal elements there is one answer", WAYS),
        *variants(f"""
            equal-elements: stable: equal elements keep their order, on both sides of the k-th place
                data=f32:[[4,7,4,1],[7,4,4,1],[4,4,4,4]]; axis=0|1; k=2; {WAYS}
            equal-elements-of-the-page: its own example, sorted by index
                data=f32:[5,3,1,2,5,5]|i32:[5,3,1,2,5,5]; axis=0; k=4; mode=min; sort=index; stable=false
                data=f32:[5,3,1,2,5,5]|i32:[5,3,1,2,5,5]; axis=0; k=4; mode=min; sort=index|value; stable=true
            many-equal-elements: more elements than the type has values
                data=i8[700,2]; axis=0; {MANY}
                data=u8[3,700]; axis=1; {MANY}
            long-axis: there is no limit to the dimension
                data=f32[3,5000]|f16[2,2000]; axis=1; k=1|20|1999; sort=value|index
                data=f32[5000,3]; axis=0; k=1|20|1999; sort=value|index
            zeros-of-both-signs: zeros are equal
                data=f32:[0.0,-0.0,-1.0,0.0,2.0]; axis=0; k=3; mode=min|max
            infinities: infinities are the ends
                data=f32:[1.0,inf,-2.0,-inf,3.0]; axis=0; k=4; mode=min|max
            ends-of-the-type: all integers
                data={ENDS}; axis=0; k=3; mode=min|max
        """),
    ],
    readings=[
        Reading(
            "the order of equal elements where stable is false",
            "Any order is right.",
            "The page fixes it for stable alone.",
            "silence",
        ),
        Reading(
            "NaN among the elements",
            "Slices with a NaN are not judged.",
            "'The order of NaN values in the result is implementation-defined'.",
            "silence",
        ),
    ],
)


@TopK.plain
def plain(rank=3):
    """Stable and with indices of i64, neither of which is the default."""
    return {
        "data": [4, 7, 5, 3, 2, 2, 1, 2][:rank] if rank > 1 else [7],
        "k": 3,
        "axis": min(1, rank - 1),
        "mode": "max",
        "sort": "value",
        "stable": True,
        "index_element_type": "i64",
    }


@TopK.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=4)
    axis = draw.integer(-rank, rank - 1)
    shape[axis] = draw.integer(1, 40 if rank < 4 else 8)
    return {
        "data": shape,
        "k": draw.integer(1, shape[axis]),
        "axis": axis,
        "mode": draw.choice(MODES),
        "sort": draw.choice(SORTS),
        "stable": draw.choice([True, False, None]),
        "index_element_type": draw.choice(["i64", "i32", None]),
    }


@TopK.adapt
def k_in_range(layer):
    return {"k": min(layer.k.value, layer.data.shape[layer.axis])}
