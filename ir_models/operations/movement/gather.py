"""Gather: slices of data along an axis, by indices (pages Gather-1, Gather-7 and Gather-8)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.indices import (
    AXIS,
    T_IND,
    anywhere_along_axis,
    axis_variants,
    in_range,
    size_along_axis,
)
from ir_models.vocabulary.element_types import i64

T = types("T", "any supported type")


def batch_dims(layer):
    """batch_dims, counted from 0."""
    return layer.batch_dims + (layer.indices.rank if layer.batch_dims < 0 else 0)


def batch_dims_exist(layer):
    most = min(layer.data.rank, layer.indices.rank)
    return -most <= layer.batch_dims <= most


def batches_agree(layer):
    b = batch_dims(layer)
    return not batch_dims_exist(layer) or layer.data.shape[:b] == layer.indices.shape[:b]


def indices_exist(layer, from_end=False):
    return in_range(layer.indices, size_along_axis(layer), from_end=from_end)


def indices_rule(broken):
    return rule("indices are in [0, data.shape[axis] - 1]", indices_exist, broken)


# Gather-1 calls data and indices input1 and input2.
INPUTS = [Input("data", T, at_least(1)), Input("indices", T_IND, values=anywhere_along_axis), AXIS]

Gather1 = Operation(
    "Gather-1",
    "opset1",
    inputs=INPUTS,
    outputs=[Output("output", T)],
    # An output of 48 million elements: the page leaves the type open, so it is a small one.
    examples=examples(
        "data=u8[6,12,10,24]; indices=i64[15,4,20,28]; axis=1 -> [6,15,4,20,28,10,24]",
        ports=[0, 1, 2, 2],
    ),
    rules=[indices_rule("indices=i64:[6,7,2,0]|i64:[6,-1,2,0]")],
    violations=["axis=[1,2]"],
    variants=[
        *axis_variants(3, as_1d=True),
        *variants("""
            scalar-index: indices may be a scalar
                indices=[]
            repeated-indices: a slice is taken again
                indices=i64:[6,6,2,0,0,6]
        """),
    ],
    readings=[
        Reading(
            "indices out of range",
            "Invalid.",
            "'The values for indices are in the range [0, input1[axis] - 1]'.",
            "silence",
            admits="Zeros, as Gather-8 has them.",
        ),
    ],
)


# The values of the page's listings.
ONE_TO_FIVE = "data=f32:[1,2,3,4,5]"
TWO_ROWS = "data=f32:[[1,2,3,4,5],[6,7,8,9,10]]"
LISTED = f"""
    {ONE_TO_FIVE}; indices=i64:[0,0,4]; axis=0; batch_dims=0 -> [3] = [1,1,5]
    {TWO_ROWS}; indices=i64:[[0,0,4],[4,0,0]]; axis=1; batch_dims=1
        -> [2,3] = [[1,1,5],[10,6,6]]
    data=f32:[[[1,2,3,4,5],[6,7,8,9,10]],[[11,12,13,14,15],[16,17,18,19,20]]]
        ; indices=i64:[[[0,0,4],[4,0,0]],[[1,2,4],[4,3,2]]]; axis=2; batch_dims=2
        -> [2,2,3] = [[[1,1,5],[10,6,6]],[[12,13,15],[20,19,18]]]
    data=f32:{np.arange(1, 41).reshape(2, 1, 5, 4).tolist()}
        ; indices=i64:[[1,2,4],[4,3,2]]; axis=2; batch_dims=1
        -> [2,1,3,4] = [[[[5,6,7,8],[9,10,11,12],[17,18,19,20]]],[[[37,38,39,40],[33,34,35,36],[29,30,31,32]]]]
    {TWO_ROWS}; indices=i64:[[0,0,4],[4,0,0]]; axis=1; batch_dims=-1
        -> [2,3] = [[1,1,5],[10,6,6]]
"""
LISTED_FROM_END = f"""
    {ONE_TO_FIVE}; indices=i64:[0,-2,-1]; axis=0; batch_dims=0 -> [3] = [1,4,5]
    {ONE_TO_FIVE}; indices=i64:[3,10,-20]; axis=0; batch_dims=0 -> [3] = [4,0,0]
"""


def gather_in_batches(name, opset, indices, more="", readings=(), listed=LISTED):
    """Gather whose data and indices may share leading dimensions; ``indices`` is the rule on their range."""
    return Operation(
        name,
        opset,
        inputs=INPUTS,
        outputs=[Output("output", T)],
        readings=readings,
        attributes=[Attribute("batch_dims", int, default=0)],
        examples=[
            *examples(listed),
            *examples(
                "data=f32[2,64,128]; indices=i64[2,32,21]; axis=1; batch_dims=1 -> [2,32,21,128]",
                ports=[0, 1, 2, 2],
            ),
        ],
        rules=[
            rule(
                "batch_dims is in [-n, n], n the lower rank of data and indices",
                batch_dims_exist,
                ["batch_dims=3; axis=3", "batch_dims=-3"],
            ),
            rule(
                "batch_dims is not greater than axis, both counted from 0",
                lambda layer: batch_dims(layer) <= axes_of(layer, "axis")[0],
                ["axis=0|-4", "axis=1; batch_dims=2; indices=[3,2,4]"],
            ),
            rule(
                "the first batch_dims dimensions of data and indices are equal",
                batches_agree,
                ["indices=[2,4]|[1,4]", "data=[1,2,6,5]"],
            ),
            indices,
        ],
        violations=["axis=[2,1]"],
        variants=[
            *axis_variants(4, {0: {"batch_dims": 0}}),
            *variants(f"""
                batch-dims: none and more of them; with as many as indices has the axis disappears
                    batch_dims=0
                    batch_dims=1; axis=1|3
                    batch_dims=2; indices=[3,2,4]|[3,2]
                    batch_dims=3; axis=3; indices=[3,2,6,4]
                    indices=[3]
                axis-as-1d: axis may be a tensor of one element
                    axis=[-3]|[-2]|[-1]|[1]|[2]|[3]
                batch-of-one: one batch
                    data=[1,6,5]; indices=[1,4]; axis=1
                batch-of-one-of-16-bits: one batch of slices that are shorter than a vector
                    data=i16[1,6,3]|u16[1,6,2]|u16[1,6,6]; indices=[1,4]; axis=1
                negative-batch-dims: batch_dims counts from the rank of indices
                    batch_dims=-1|-2
                scalar-index: indices may be a scalar
                    indices=[]; batch_dims=0|-
                repeated-indices: a slice is taken again
                    indices=i64:[[4,4,1,4],[0,0,0,0],[5,2,2,5]]
                {more}
            """),
        ],
    )


Gather7 = gather_in_batches(
    "Gather-7",
    "opset7",
    indices_rule(
        "indices=i64:[[5,6,2,0],[1,2,3,4],[0,0,1,1]]|i64:[[5,1,2,0],[1,2,3,4],[0,-1,1,1]]"
    ),
    readings=[
        Reading(
            "indices out of range",
            "Invalid.",
            "'The values for indices are in the range [0, data[axis] - 1]'.",
            "silence",
            admits="Zeros, as Gather-8 has them.",
        ),
    ],
)
FROM_END = "[[-1,0,-6,5],[-2,-2,3,1],[4,-3,-5,-4]]"
Gather8 = gather_in_batches(
    "Gather-8",
    "opset8",
    rule(
        "the type of data has a zero for indices out of range",
        lambda layer: layer.data.element_type.has_zero or indices_exist(layer, from_end=True),
        unasked="the page gives zeros in any type",
    ),
    listed=LISTED + LISTED_FROM_END,
    more=f"""
                negative-indices: indices count from the end
                    indices=i64:{FROM_END}|i32:{FROM_END}|i16:{FROM_END}|i8:{FROM_END}
                out-of-range-indices: they give zeros, also where 32 bits of an index are in range
                    indices=i64:[[6,0,-7,5],[-6,60,3,1],[4,-3,-60,2]]
                    indices=i8:[[6,127,-7,5],[-6,-128,3,1],[4,-3,0,2]]
                    indices=u8:[[6,255,0,5],[128,1,3,1],[4,3,254,2]]
                    indices=i64:[[{2**32},1,5,0],[2,{2**32 + 3},0,1],[4,3,{-(2**32)},2]]
                    indices=u64:[[{2**64 - 1},1,5,0],[2,{2**63},0,1],[4,3,{2**32},2]]
                short-vector-out-of-range: zeros in a vector of few numbers as well
                    data=i32[5]|i64[5]|u32[5]; indices=i64:[1,-6,5,6]; axis=0; batch_dims=0
    """,
    readings=[
        Reading(
            "indices out of range, data of strings or f8e8m0",
            "They are tested within the range alone.",
            "'filled with zeros' elsewhere, and these types have no zero.",
            "silence",
        ),
    ],
)


@Gather1.plain
def plain_1(rank=3):
    if rank == 1:
        return {"data": [7], "indices": [4, 5], "axis": 0}
    return {"data": [2, 7, 3, 1, 2, 1, 3, 2][:rank], "indices": [4, 5], "axis": 1}


@Gather7.plain
@Gather8.plain
def plain(rank=4):
    """Rows of the last batch dimension gather along an axis further on."""
    if rank == 1:
        return {"data": [6], "indices": [4, 5], "axis": 0, "batch_dims": 0}
    if rank == 2:
        return {"data": [3, 6], "indices": [3, 4], "axis": 1, "batch_dims": 1}
    shape = [3, 2, 6, 5, 1, 2, 3, 2][:rank]
    return {"data": shape, "indices": [3, 4], "axis": 2, "batch_dims": 1}


def axis_layer(draw, most_batch_dims):
    """A layer whose data and indices share up to ``most_batch_dims`` dimensions; their number."""
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    data = draw.shape(rank, 1, 5 if rank <= 3 else 3)
    data[axis] = draw.integer(2, 6)
    b = draw.integer(0, min(axis, most_batch_dims))
    indices = data[:b] + draw.shape(draw.integer(0, 2), 1, 4)
    counted = draw.choice([axis, axis - rank])
    return {"data": data, "indices": indices, "axis": draw.choice([counted, [counted]])}, b


@Gather1.random
def layer_1(draw):
    return axis_layer(draw, 0)[0]


@Gather7.random
def layer_7(draw):
    given, b = axis_layer(draw, 3)
    rank = len(given["indices"])
    same = [b, *([None] if b == 0 else [])]
    if b - rank >= -len(given["data"]) and b < rank:
        same.append(b - rank)
    return {**given, "batch_dims": draw.choice(same)}


@Gather8.random
def layer_8(draw):
    """Small index tensors are stated, now and then with indices from the end or beyond the ends."""
    given = layer_7(draw)
    shape = given["indices"]
    count = np.prod(shape, dtype=int)
    if count > 12 or draw.boolean():
        return given
    size = given["data"][numbers(given["axis"])[0]]
    ends = draw.choice([(-size, size - 1), (-size, size - 1), (-size - 2, size + 1)])
    # The first is in range, so that not all of the output is zero.
    stated = [draw.integer(-size, size - 1), *(draw.integer(*ends) for _ in range(count - 1))]
    return {**given, "indices": i64.tensor(np.reshape(np.array(stated, np.int64), shape))}


@Gather1.adapt
@Gather7.adapt
@Gather8.adapt
def indices_of_data(layer):
    """Indices with the batches of data, and none into an axis without elements."""
    b = batch_dims(layer) if layer.operation.attributes else 0
    count, *rest = layer.indices.shape[b:]
    count = count if size_along_axis(layer) else 0
    return {"indices": [*layer.data.shape[:b], count, *rest]}
