"""ScatterElementsUpdate: elements written along an axis (pages ScatterElementsUpdate-3 and -12)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.indices import T_IND, axis_of, axis_variants, size_along_axis
from ir_models.families.scatter import Places, indices_rule, reduced, reduces, scatter
from ir_models.vocabulary.element_types import NUMERIC, boolean, f8e8m0, i64, nf4, string

REDUCTIONS = ("sum", "prod", "min", "max", "mean")
# Types whose sums and products are mostly none of their values.
UNREDUCED = (string, nf4, f8e8m0)
REPEATED = "data=[2,6]; axis=1; indices="
REPEATED_INDICES = f"{REPEATED}i64:[[1,1,4,1],[5,0,5,0]]"
NEGATIVE = "[[-1,-6,4,1],[0,-2,-3,2]]"


def count_along_axis(layer):
    return layer.indices.shape[axis_of(layer)]


def indices(layer, state):
    """Different places along the axis, as long as there are so many."""
    axis, size, count = axis_of(layer), size_along_axis(layer), count_along_axis(layer)
    shape = list(layer.indices.shape)
    shape[axis] = max(size, count)
    order = state.random_sample(shape).argsort(axis)
    return order.take(range(count), axis) % max(size, 1)


def positions(layer, indices):
    grid = np.indices(indices.shape)
    grid[axis_of(layer)] = indices % size_along_axis(layer)
    return np.ravel_multi_index(tuple(grid), layer.data.shape)


def along_axis_1(layer):
    shape = list(layer.indices.shape)
    shape[axis_of(layer)] = 1
    return shape


PLACES = Places(
    sizes=lambda layer: [size_along_axis(layer)],
    positions=positions,
    indices=lambda layer: np.minimum(layer.indices.shape, layer.data.shape).tolist(),
    updates=lambda layer, indices: indices,
    alike=along_axis_1,
)


def updates_fit(layer, but_for=None):
    pairs = enumerate(zip(layer.updates.shape, layer.data.shape, strict=True))
    return all(u <= d for axis, (u, d) in pairs if axis != but_for)


def both(*shape):
    """Indices and updates of one shape."""
    return {"indices": shape, "updates": shape}


def broken_indices(*wrong):
    return [f"{REPEATED}i64:[[1,0,4,{index}],[5,0,3,2]]; updates=[2,4]" for index in wrong]


def filled(number):
    """Data of the examples: three rows of four equal numbers."""
    return [[number] * 4] * 3


LARGE = "data=f32[1000,256,7,7]; indices=i64[125,20,7,6]; updates=f32[125,20,7,6]; axis=[0]"
SMALL = "updates=i32:[[11,12],[13,14]]; axis=[1]"
SIX = "updates=f32:[10,20,30,40,70,60]"
SUM = "axis=[0]; reduction=sum"
RULES = [
    rule(
        "indices has the rank of data",
        lambda layer: layer.indices.rank == layer.data.rank,
        [both(2, 4, 5), both(2, 4, 5, 3, 1)],
    ),
    rule(
        "updates has the shape of indices",
        lambda layer: layer.updates.shape == layer.indices.shape,
        ["updates=[2,3,5,3]|[2,4,5]", "indices=[2,4,4,3]"],
    ),
]
VARIANTS = [
    *axis_variants(4, as_1d=True),
    *variants("""
        whole: every place
            indices=[3,6,5,4]; axis=1|0
        one-update: a single element
            indices=[1,1,1,1]
    """),
]

ScatterElementsUpdate3 = scatter(
    "ScatterElementsUpdate-3",
    "opset3",
    types("T", "any numeric type"),
    Input("indices", T_IND, at_least(1), values=indices),
    PLACES,
    examples=examples(f"{LARGE} -> [1000,256,7,7]"),
    rules=[
        *RULES,
        rule(
            "no dimension of updates is greater than that of data",
            updates_fit,
            [both(2, 7, 5, 3), both(4, 4, 5, 3)],
        ),
        indices_rule(PLACES, "size of data along axis", *broken_indices(6, -1)),
    ],
    variants=[*VARIANTS, variant("repeated-indices", "in an open order", REPEATED_INDICES)],
)

ScatterElementsUpdate12 = scatter(
    "ScatterElementsUpdate-12",
    "opset12",
    types("T", "any supported type"),
    Input("indices", T_IND, at_least(1), values=indices),
    PLACES,
    reductions=REDUCTIONS,
    attributes=[Attribute("use_init_val", bool, default=True)],
    examples=examples(f"""
        data=f32:[2,3,4,6]; indices=i64:[1,0,0,-2,-1,2]; {SIX}; {SUM}; use_init_val=true
            -> [4] = [52,13,104,76]
        data=f32:[2,3,4,6]; indices=i64:[1,0,0,2,3,2]; {SIX}; {SUM}; use_init_val=false
            -> [4] = [50,10,100,70]
        data=i32:{filled(0)}; {SMALL}; indices=i64:[[1,2],[0,3]]; reduction=none; use_init_val=true
            -> [3,4] = [[0,11,12,0],[13,0,0,14],[0,0,0,0]]
        data=i32:{filled(1)}; {SMALL}; indices=i64:[[1,1],[0,3]]; reduction=sum; use_init_val=true
            -> [3,4] = [[1,24,1,1],[14,1,1,15],[1,1,1,1]]
        data=i32:{filled(2)}; {SMALL}; indices=i64:[[1,1],[0,3]]; reduction=prod; use_init_val=true
            -> [3,4] = [[2,264,2,2],[26,2,2,28],[2,2,2,2]]
        {LARGE} -> [1000,256,7,7]
    """),
    rules=[
        *RULES,
        rule(
            "no dimension of updates but that of axis is greater than that of data",
            lambda layer: updates_fit(layer, but_for=axis_of(layer)),
            [both(4, 4, 5, 3), both(2, 4, 6, 3)],
        ),
        indices_rule(PLACES, "size of data along axis", *broken_indices(6, -7), from_end=True),
        rule(
            "boolean data has no mean",
            lambda layer: layer.data.element_type is not boolean or layer.reduction != "mean",
            "data=boolean; updates=boolean; reduction=mean",
        ),
        rule(
            "strings, nf4 and f8e8m0 have no sum, product, minimum, maximum or mean",
            lambda layer: layer.data.element_type not in UNREDUCED or not reduces(layer),
            unasked="the page excludes one reduction of one type, and not these",
            id="strings-sum-product-minimum-maximum",
        ),
    ],
    variants=[
        *VARIANTS,
        *variants(f"""
            more-updates: more along axis than data has
                indices=[2,8,5,3]; updates=[2,8,5,3]; reduction=-|none|sum|max
            reduction: updates are combined with data, or with each other alone
                reduction={"|".join(REDUCTIONS)}; use_init_val=-|true|false
            repeated-indices: several updates of one element, in an open order
                {REPEATED_INDICES}
                {REPEATED_INDICES}; reduction=sum|prod|min|max; use_init_val=true|false
            repeated-indices-mean: the mean of all; that of two at a time would depend on the order
                {REPEATED_INDICES}; reduction=mean; use_init_val=true|false
                {REPEATED_INDICES}; reduction=mean; use_init_val=true|false; data=i32[2,6]
            negative-indices: indices count from the end
                {REPEATED}i64:{NEGATIVE}|i32:{NEGATIVE}|i16:{NEGATIVE}|i8:{NEGATIVE}; reduction=none|sum
        """),
        variant(
            "reduction-types",
            "every type but the mean of boolean",
            *reduced(REDUCTIONS, NUMERIC),
            *reduced([each for each in REDUCTIONS if each != "mean"], [boolean]),
        ),
    ],
    readings=[
        Reading(
            "'any supported type' for reductions of strings, nf4 and f8e8m0",
            "They are scattered with reduction none alone.",
            "There is no sum, product, minimum, maximum or mean of strings; of levels of nf4, and of powers of two, "
            "most sums are none.",
        ),
    ],
)


def plain(rank=4):
    """Fewer indices than data has elements, along every axis."""
    if rank == 1:
        return {"data": [6], "indices": [4], "axis": 0}
    data, fewer = [3, 6, 5, 4, 1, 2, 2, 1], [2, 4, 5, 3, 1, 1, 2, 1]
    return {"data": data[:rank], "indices": fewer[:rank], "axis": 1}


ScatterElementsUpdate3.plain(plain)


@ScatterElementsUpdate12.plain
def plain_12(rank=4):
    return {**plain(rank), "reduction": "none", "use_init_val": True}


@ScatterElementsUpdate3.random
def layer_3(draw):
    rank = draw.integer(1, 6)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    axis = draw.integer(0, rank - 1)
    data[axis] = draw.integer(3, 6)
    fewer = [draw.integer(1, size) for size in data]
    counted = draw.choice([axis, axis - rank])
    return {"data": data, "indices": fewer, "axis": draw.choice([counted, [counted]])}


@ScatterElementsUpdate12.random
def layer_12(draw):
    """Small index tensors are stated, with indices from the end; repeated ones where the result is fixed."""
    layer = layer_3(draw)
    reduction = draw.choice([None, "none", *REDUCTIONS])
    axis = numbers(layer["axis"])[0]
    size, shape = layer["data"][axis], layer["indices"]
    repeats = reduction not in ("prod", "mean")
    if repeats:
        shape[axis] = draw.integer(1, size + 3)
    layer["updates"] = shape
    if repeats and np.prod(shape) <= 12 and draw.boolean():
        stated = [draw.integer(-size, size - 1) for _ in range(np.prod(shape))]
        layer["indices"] = i64.tensor(np.reshape(stated, shape))
    return {**layer, "reduction": reduction, "use_init_val": draw.choice([None, True, False])}
