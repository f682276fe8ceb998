"""ScatterNDUpdate: slices written where tuples of indices say (pages ScatterNDUpdate-3 and -15)."""

import math

import numpy as np

from ir_models.declaration import *
from ir_models.families.scatter import Places, indices_rule, reduced, scatter
from ir_models.vocabulary.element_types import i64

T3 = types("T", "any numeric type")
T15 = types("T", "any numeric type", "boolean")
INDICES = types("T_IND", "int32 or int64")
REDUCTIONS = ("sum", "sub", "prod", "min", "max")


def indexed_dimensions(layer):
    """The dimensions of data that the tuples of indices go into."""
    return layer.data.shape[: layer.indices.shape[-1]]


def tuples_fit_data(layer):
    return layer.indices.shape[-1] <= layer.data.rank


def count(layer):
    return math.prod(layer.indices.shape[:-1])


def indices(layer, state):
    """Different places, as long as there are so many."""
    sizes = indexed_dimensions(layer)
    if not tuples_fit_data(layer) or 0 in sizes or not sizes:
        return np.zeros(layer.indices.shape, int)
    numbers = state.permutation(max(math.prod(sizes), count(layer)))
    return np.stack(np.unravel_index(numbers[: count(layer)] % math.prod(sizes), sizes), -1)


def positions(layer, indices):
    grid = np.arange(layer.data.size).reshape(layer.data.shape)
    found = grid[tuple(np.moveaxis(indices % indexed_dimensions(layer), -1, 0))]
    return np.broadcast_to(found, updates(layer, indices.shape))  # tuples of no items name all


def updates(layer, indices):
    return (*indices[:-1], *layer.data.shape[indices[-1] :])


def updates_have_shape(layer):
    expected = updates(layer, layer.indices.shape)
    one = expected == () and layer.updates.size == 1
    return not tuples_fit_data(layer) or layer.updates.shape == expected or one


def tuples_differ(layer):
    if layer.indices.value is None:
        return count(layer) <= math.prod(indexed_dimensions(layer))
    tuples = np.array(layer.indices.value).reshape(count(layer), -1)
    return len(np.unique(tuples, axis=0)) == count(layer)


PLACES = Places(
    sizes=indexed_dimensions,
    positions=positions,
    updates=updates,
    alike=lambda layer: (*[1] * (layer.indices.rank - 1), layer.indices.shape[-1]),
)
RULES = [
    rule(
        "a tuple of indices has at most as many items as data has dimensions",
        tuples_fit_data,
        ["indices=[6,5]", "indices=[6,5]; updates=[6]"],
    ),
    rule(
        "updates has the shape indices.shape[:-1] + data.shape[indices.shape[-1]:]",
        updates_have_shape,
        ["updates=[5,3,2]|[6,2,3]|[6,3]", "indices=[4,1]|[6,3]", "indices=[4]; updates=[2]"],
    ),
]


def three(*tuples):
    """Layers with these tuples after two good ones."""
    return [f"indices=i64:[[1,0],[3,4],{each}]; updates=[3,3,2]" for each in tuples]


VARIANTS = """
    elements: long tuples
        indices=[6,4]|[3,2,4]
    slices: tuples of other lengths
        indices=[3,1]|[6,3]
    leading-dimensions: indices of more dimensions
        indices=[3,2,2]|[1,3,4,2]
    one-update: of one tuple that names one element, updates is a scalar or has one element
        indices=[4]; updates=[]|[1]
        indices=[1,4]|[2]
    one-index: a vector of one index names a row, or an element
        data=[4,5]; indices=[1]
        data=[7]; indices=[1]; updates=[]
    whole: every slice
        indices=[4,1]
    index-order: any order
        indices=i64:[[3,4],[2,0],[1,1],[0,4]]|i64:[[0,1],[0,2],[0,3],[0,4]]
"""
REPEATED = "indices=i64:[[3,4],[0,0],[3,4],[0,4],[3,4]]"
NEGATIVE = "[[-1,0],[3,-5],[-4,-1]]"
ALL = "|".join(REDUCTIONS)
# Data of 38 million elements: the page leaves the type open, so it is a small one.
LARGE = "data=u8[1000,256,10,15]; indices=i64[25,125,3]; updates=u8[25,125,15]"
ROW = "indices=i32:[[0],[2],[-3],[-3],[0]]"
RANK = (
    "indices is printed with shape [5], a tuple of 5 items for data of rank 1; [5, 1] is what the page's formula for "
    "updates asks for"
)


def five(kind):
    """Five updates of four numbers, as the examples print them."""
    return f"data={kind}:[1,2,3,4]; {ROW}; updates={kind}:[10,20,30,40,50]"


# The values of the listings of both pages.
EIGHT = "data=f32:[1,2,3,4,5,6,7,8]"
UP = [[1, 2, 3, 4], [5, 6, 7, 8], [8, 7, 6, 5], [4, 3, 2, 1]]
DOWN = [*UP[2:], *UP[:2]]
FIVES, ONES = ([[n] * 4 for n in range(first, first + 4)] for first in (5, 1))
TWO_SLICES = (
    f"data=f32:{[UP, UP, DOWN, DOWN]}; indices=i64:[[0],[2]]; updates=f32:{[FIVES, ONES]}",
    f"-> [4,4,4] = {[FIVES, UP, ONES, DOWN]}",
)

ScatterNDUpdate3 = scatter(
    "ScatterNDUpdate-3",
    "opset4",
    T3,
    Input("indices", INDICES, at_least(1), values=indices),
    PLACES,
    has_axis=False,
    examples=examples(f"""
        {EIGHT}; indices=i64:[[4],[3],[1],[7]]; updates=f32:[9,10,11,12]
            -> [8] = [1,11,3,10,9,6,7,12]
        {" ".join(TWO_SLICES)}
        {LARGE} -> [1000,256,10,15]
    """),
    rules=[
        *RULES,
        indices_rule(
            PLACES, "dimension that each goes into", *three("[4,0]", "[0,5]", "[-1,0]", "[0,-1]")
        ),
        rule(
            "indices has no duplicate entries",
            tuples_differ,
            unasked="the page leaves the result undefined, and so a device may answer what it likes",
        ),
    ],
    variants=variants(VARIANTS),
)

ScatterNDUpdate15 = scatter(
    "ScatterNDUpdate-15",
    "opset15",
    T15,
    Input("indices", INDICES, at_least(1), values=indices),
    PLACES,
    has_axis=False,
    reductions=REDUCTIONS,
    examples=examples(f"""
        {EIGHT}; indices=i64:[[4],[3],[1],[7],[-2],[-4]]; updates=f32:[9,10,11,12,13,14]; reduction=none -> [8]
            erratum: 4 is written twice, as 4 and as -4: 9 or 14 stands there -> [8] = [1,11,3,10,14,6,13,12]
        {"; reduction=none ".join(TWO_SLICES)}
        {five("f32")}; reduction=none -> [4]
            altered: {RANK}
            erratum: of the stated values 50, 20, 20, 4 the second is neither 30 nor 40 -> [4] = [50,40,20,4]
        {five("f16")}; reduction=sum -> [4] = [61,72,23,4]
            altered: {RANK}
        {five("i32")}; reduction=sub -> [4] = [-59,-68,-17,4]
            altered: {RANK}
        {five("f32")}; reduction=prod -> [4]
            altered: {RANK}
            erratum: 2 * 30 * 40 is 2400 and 3 * 20 is 60, not 3600 and 40 -> [4] = [500,2400,60,4]
        {LARGE}; reduction=none -> [1000,256,10,15]
    """),
    rules=[
        *RULES,
        indices_rule(
            PLACES,
            "dimension that each goes into",
            *three("[4,0]", "[0,5]", "[-5,0]", "[0,-6]"),
            from_end=True,
        ),
    ],
    variants=[
        *variants(VARIANTS),
        *variants(f"""
            reduction: updates are combined with data
                reduction={ALL}
            boolean-reduction: sum, sub and prod are or, xor and and, also of several updates
                {REPEATED}; data=boolean; reduction={ALL}
            elements-reduction: single elements are combined
                indices=[6,4]; reduction={ALL}
            repeated-indices: several updates of one element, in an open order
                {REPEATED}; reduction=none|{ALL}
                data=[2,5,3,2]; indices=[4,1]
            negative-indices: indices count from the end
                indices=i64:{NEGATIVE}|i32:{NEGATIVE}; reduction=none|sum
        """),
        variant("reduction-types", "every type", *reduced(REDUCTIONS, T15.types)),
    ],
    readings=[
        Reading(
            "indices of shape [5] in the examples",
            "[5, 1].",
            "A tuple of 5 items does not fit data of rank 1; the formula for updates asks for [5, 1].",
            "slip",
        ),
    ],
)


def plain(rank=4):
    """Tuples into the first two dimensions."""
    if rank == 1:
        return {"data": [7], "indices": [4, 1]}
    return {"data": [4, 5, 3, 2, 1, 2, 3, 2][:rank], "indices": [6, 2]}


ScatterNDUpdate3.plain(plain)


@ScatterNDUpdate15.plain
def plain_15(rank=4):
    return {**plain(rank), "reduction": "none"}


@ScatterNDUpdate3.random
def layer_3(draw):
    rank = draw.integer(1, 6)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    data[0] = draw.integer(3, 6)
    length = draw.integer(1, rank)
    left = math.prod(data[:length])
    lead = []
    for _ in range(draw.integer(0, 2)):
        lead.append(draw.integer(1, min(left, 4)))
        left //= lead[-1]
    return {"data": data, "indices": [*lead, length]}


@ScatterNDUpdate15.random
def layer_15(draw):
    """Small index tensors are stated, with indices from the end; repeated ones where no product overflows."""
    layer = layer_3(draw)
    reduction = draw.choice([None, "none", *REDUCTIONS])
    shape = layer["indices"]
    if reduction != "prod" and math.prod(shape) <= 12 and draw.boolean():
        sizes = layer["data"][: shape[-1]]
        tuples = range(math.prod(shape[:-1]))
        stated = [[draw.integer(-size, size - 1) for size in sizes] for _ in tuples]
        layer["indices"] = i64.tensor(np.reshape(stated, shape))
    return {**layer, "reduction": reduction}
