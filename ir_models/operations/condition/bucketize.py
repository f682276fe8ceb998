"""Bucketize: the bucket between boundaries in which a number lies (page Bucketize-3)."""

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64

T = types("T", "any numeric type")
T_BOUNDARIES = types("T_BOUNDARIES", "any numeric type")


def ends(layer):
    """The least and the largest boundary, which both inputs can hold: small numbers, so that many are equal."""
    kinds = [layer.inputs[name].element_type for name in ("data", "buckets")]
    ranges = [kind.integer_range for kind in kinds if kind.is_integer] or [(-20, 20)]
    return max(-20, *(low for low, _ in ranges)), min(20, *(high for _, high in ranges))


def near(layer, kind):
    low, high = ends(layer)
    return [*range(low, high + 1)]


def boundaries(layer, state):
    """Different whole numbers in order; None where there are too few of them."""
    low, high = ends(layer)
    count = layer.buckets.size
    if count > high + 1 - low:
        return np.arange(count) - count // 2 if low < 0 else np.arange(count)
    return np.sort(state.permutation(np.arange(low, high + 1))[:count])


def ascend(layer):
    buckets = layer.buckets
    if buckets.rank != 1 or buckets.element_type.kind == "string":
        return True  # other rules say what is wrong
    if buckets.value is None:
        return buckets.size <= 2**buckets.element_type.bits
    # As their type holds them: two that are rounded to one, or to infinity, are one.
    with np.errstate(over="ignore"):
        held = buckets.array().tolist()
    return held == sorted(set(held))


EDGES = "[-1.0,0.0,-0.0,2.5,5.0,5.5,10.0,11.0]"

Bucketize = Operation(
    "Bucketize-3",
    "opset3",
    inputs=[
        Input("data", T, values=Within(near)),
        Input("buckets", T_BOUNDARIES, exactly(1), values=boundaries),
    ],
    outputs=[Output("output", lambda layer: ELEMENT_TYPES.get(layer.output_type, i64))],
    attributes=[
        Attribute("output_type", ("i64", "i32"), default="i64"),
        Attribute("with_right_bound", bool, default=True),
    ],
    examples=examples("data=f32[49,11]; buckets=f32[5] -> [49,11]", ports=(0, 1, 1)),
    rules=[
        rule(
            "boundaries are sorted and unique",
            ascend,
            ["buckets=f32:[1.0,3.0,2.0]", "buckets=f32:[1.0,2.0,2.0]", "buckets=i32:[5,0,-5]"],
        ),
    ],
    variants=variants(f"""
        printed: the page's own numbers
            data=i32:[[3,50],[10,-1]]; buckets=i32:[0,5,10]; with_right_bound=true|false
            data=f32:[[3.0,50.0],[10.0,-1.0]]; buckets=f32:[0.0,5.0,10.0]
        on-boundaries: a boundary belongs to the bucket on its left or on its right
            data=f32:{EDGES}; buckets=f32:[0.0,5.0,10.0]; with_right_bound=true|false|-; output_type=i64|i32
            data=f32:{EDGES}; buckets=i32:[0,5,10]; with_right_bound=true|false
            data=i32:[-1,0,2,3,5,6]; buckets=f32:[0.0,2.5,5.0]; with_right_bound=true|false
        nan-and-infinities: infinities lie in the first and in the last bucket, of NaN the page does not speak
            data=f32:[nan,inf,-inf,3.0]; buckets=f32:[0.0,5.0,10.0]; with_right_bound=true|false
        no-boundaries (may be constant): the bucket of all elements is 0
            buckets=[0]; with_right_bound=true|false; output_type=i64|i32
        one-boundary: two buckets
            buckets=f32:[1.0]; with_right_bound=true|false
        many-boundaries: halves are searched
            data=[100]; buckets=[2]|[3]|[7]|[8]|[9]|[16]|[33]
        scalar: one element
            data=[]; buckets=[5]
        neighbours: numbers are compared exactly
            data=f32:[1.0,1.0000001192092896,0.9999999403953552]; buckets=f32:[1.0,1.0000001192092896]
            data=f32:[1.0,1.0009765625,0.9990234375]; buckets=f32:[0.9995,1.0004]
            data=f64:[1.0,1.0000000000000002,2.0]; buckets=f64:[1.0,1.0000000000000002]
        beyond-24-bits: numbers are compared exactly
            data=i32:[16777216,16777217,-16777217]; buckets=i32:[-16777216,16777217]; with_right_bound=true|false
        large-integers: numbers are compared exactly
            data=i64:[9007199254740993,4294967301,5]; buckets=i64:[5,9007199254740993]; with_right_bound=true
            data=u64:[4294967301,18446744073709551615,5]; buckets=u64:[5,18446744073709551615]; with_right_bound=false
    """),
    readings=[
        Reading(
            "the bucket of NaN",
            "It is not judged.",
            "The page gives NaN no order.",
            "silence",
        ),
    ],
)


@Bucketize.plain
def plain(rank=4):
    shape = [2, 3, 5, 4, 1, 2, 3, 1][:rank]
    return {"data": shape, "buckets": [6], "output_type": "i32", "with_right_bound": False}


@Bucketize.random
def layer(draw):
    rank = draw.integer(0, 6)
    return {
        "data": draw.shape(rank, most=3 if rank > 4 else 5),
        "buckets": [draw.integer(1, 7)],
        "output_type": draw.choice([None, "i64", "i32"]),
        "with_right_bound": draw.choice([None, False, True]),
    }
