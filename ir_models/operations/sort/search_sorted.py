"""SearchSorted: where numbers belong in sorted sequences (page SearchSorted-15)."""

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import i64

T = types("T", "any supported floating-point and integer type")


def span(layer):
    """Small whole numbers, so that many are equal."""
    kind = layer.sorted_sequence.element_type
    low, high = kind.integer_range if kind.is_integer else (-12, 12)
    return [*range(max(low, -12), min(high, 12) + 1)]


def ascending(layer, state):
    """Numbers in order, some of them twice."""
    return np.sort(state.choice(span(layer), layer.sorted_sequence.shape), -1)


def ascend(layer):
    stated = layer.sorted_sequence.value
    return stated is None or bool(np.all(np.diff(np.array(stated, object), axis=-1) >= 0))


def ranks_agree(layer):
    return layer.sorted_sequence.rank in (1, layer.values.rank)


def rows_agree(layer):
    one, other = layer.sorted_sequence.shape, layer.values.shape
    return len(one) == 1 or len(one) != len(other) or one[:-1] == other[:-1]


def both(kind, sequence, values):
    return f"sorted_sequence={kind}:{sequence}; values={kind}:{values}; right_mode=false|true|-"


SearchSorted = Operation(
    "SearchSorted-15",
    "opset15",
    inputs=[
        Input("sorted_sequence", T, at_least(1), values=ascending),
        Input("values", T, values=Within(lambda layer, kind: span(layer))),
    ],
    outputs=[Output("output", lambda layer: i64)],
    attributes=[Attribute("right_mode", bool, default=False)],
    examples=examples("""
        sorted_sequence=f32[2,3,4,7]; values=f32[2,3,4,5]; right_mode=true -> [2,3,4,5]
        scaled: the sequences of the printed layer have 72 million numbers
        printed: sorted_sequence=f32[7,256,200,200]; values=f32[7,256,200,10]; right_mode=true -> [7,256,200,10]
    """),
    rules=[
        rule(
            "the ranks are equal, or the sequence has rank 1",
            ranks_agree,
            ["values=[4]", "values=[2,3]", "sorted_sequence=[3,7]", "sorted_sequence=[1,2,3,7]"],
        ),
        rule(
            "all dimensions but the last are equal",
            rows_agree,
            unasked="the page speaks of the ranks alone",
        ),
        rule(
            "the sequence ascends",
            ascend,
            unasked="the page does not say that an order is checked",
        ),
    ],
    variants=variants(f"""
        one-sequence: of rank 1, for values of any shape
            sorted_sequence=[6]; values=[]|[5]|[2,5]|[2,3,4]|[2,1,3,4]; right_mode=false|true
        on-numbers: a number that is there belongs before or behind itself
            {both("f32", [-2.5, 0.0, 1.0, 4.0], [-2.5, 4.0, 0.0, -0.0, 1.5, 5.0, -3.0])}
            {both("i32", [-2, 0, 1, 4], [-2, 4, 0, 3, 5, -3])}
        repeated: before the first of them, or behind the last
            {both("f32", [1.0, 1.0, 2.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 2.5, 0.0])}
            {both("i64", [5, 5, 5], [4, 5, 6])}
        outside: before the first and behind the last
            {both("f32", [1.0, 2.0], [-100.0, 100.0, 1.5])}
        one-number: a sequence of one
            {both("i32", [3], [2, 3, 4])}
        no-number (may be constant): the place in an empty sequence is 0
            sorted_sequence=[0]; values=[5]
            sorted_sequence=[2,3,0]; values=[2,3,4]
        infinities: infinities are numbers, and ends
            {both("f32", ["-inf", 0.0, "inf"], ["-inf", "inf", 3e38, -3e38]).replace("'", "")}
        lengths: halves are searched
            sorted_sequence=[2]|[3]|[7]|[8]|[9]|[16]|[33]|[1000]; values=[40]; right_mode=false|true
        neighbours: numbers are compared exactly
            {both("f32", [1.0, 1.0000001192092896], [1.0, 1.0000001192092896, 0.9999999403953552])}
            {both("f64", [1.0, 1.0000000000000002], [1.0, 1.0000000000000002, 2.0])}
            {both("i32", [-16777217, 16777216, 16777218], [16777217, -16777216, 16777216])}
        large-integers: numbers are compared exactly
            {both("i64", [5, 9007199254740993], [9007199254740992, 9007199254740994, 4294967301])}
            {both("u64", [5, 18446744073709551614], [18446744073709551615, 4294967301, 5])}
        ends: the ends of a type
            {both("i8", [-128, 0, 127], [127, -128, 5])}
            {both("u8", [0, 128, 255], [255, 0, 127])}
    """),
    readings=[
        Reading(
            "'monotonically increasing'",
            "Equal numbers may stand side by side.",
            "'leftmost' and 'rightmost' differ there.",
        ),
        Reading(
            "'the rank should be equal'",
            "All dimensions but the last are equal too.",
            "The example; each row of values belongs to one sequence.",
            "silence",
        ),
        Reading(
            "the place of NaN",
            "It is not judged.",
            "The page gives NaN no order.",
            "silence",
        ),
    ],
)


@SearchSorted.plain
def plain(rank=3):
    shape = [2, 3, 4, 1, 2, 3, 2][: rank - 1]
    return {"sorted_sequence": [*shape, 7], "values": [*shape, 5], "right_mode": True}


@SearchSorted.random
def layer(draw):
    shape = draw.shape(draw.integer(0, 4), most=4)
    values = [*shape, draw.integer(1, 9)]
    length = draw.integer(1, 20)
    return {
        "sorted_sequence": draw.choice([[*shape, length], [length]]),
        "values": values,
        "right_mode": draw.choice([True, False, None]),
    }
