"""ScatterNDUpdate: slices written where tuples of indices say (pages ScatterNDUpdate-3 and -15)."""

import math

import numpy as np

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import NUMERIC, boolean, f16, f32, i32, i64, types, u8
from ir_models.operations.movement._scatter import data_values, update_values

T3 = types("T", NUMERIC)
T15 = types("T", NUMERIC, boolean)
T_IND = types("T_IND", i32, i64)
REDUCTIONS = ("sum", "sub", "prod", "min", "max")


def indexed_dimensions(layer):
    """The dimensions of data that the tuples of indices go into."""
    return layer.data.shape[: layer.indices.shape[-1]]


def tuples_fit_data(layer):
    return layer.indices.shape[-1] <= layer.data.rank


def counts(layer):
    """The number of places that tuples of indices can name, and the number of tuples."""
    return math.prod(indexed_dimensions(layer)), math.prod(layer.indices.shape[:-1])


def indices(layer, state):
    """Different places, as long as there are so many."""
    if layer.indices.rank == 0 or not tuples_fit_data(layer) or 0 in indexed_dimensions(layer):
        return np.zeros(layer.indices.shape, int)
    named, count = counts(layer)
    numbers = state.permutation(max(named, count))[:count] % named
    return np.stack(np.unravel_index(numbers, indexed_dimensions(layer)), -1)


def places(layer):
    """The place in data of each tuple of indices; None where they are drawn different."""
    if not tuples_fit_data(layer):
        return None
    named, count = counts(layer)
    if layer.indices.value is None:
        return None if count <= named else np.zeros(count, int)
    sizes = indexed_dimensions(layer)
    tuples = np.array(layer.indices.value, np.int64).reshape(count, len(sizes)) % sizes
    return np.ravel_multi_index(tuple(tuples.T), sizes)


def inputs(data_types):
    return [
        Input("data", data_types, at_least(1), values=data_values),
        Input("indices", T_IND, at_least(1), values=indices),
        Input("updates", data_types, values=update_values(places)),
    ]


VARIANTS = {
    "elements": [
        {"indices": [6, 4], "updates": [6]},
        {"indices": [3, 2, 4], "updates": [3, 2]},
    ],
    "slices": [
        {"indices": [3, 1], "updates": [3, 5, 3, 2]},
        {"indices": [6, 3], "updates": [6, 2]},
    ],
    "leading-dimensions": [
        {"indices": [3, 2, 2], "updates": [3, 2, 3, 2]},
        {"indices": [1, 3, 4, 2], "updates": [1, 3, 4, 3, 2]},
    ],
    # Of one tuple that names one element, updates is a scalar, or a tensor with one element.
    "one-update": [
        {"indices": [4], "updates": []},
        {"indices": [4], "updates": [1]},
        {"indices": [1, 4], "updates": [1]},
        {"indices": [2], "updates": [3, 2]},
    ],
    "whole": [{"indices": [4, 1], "updates": [4, 5, 3, 2]}],
    "index-order": [
        {"indices": i64.tensor([[3, 4], [2, 0], [1, 1], [0, 4]]), "updates": [4, 3, 2]},
        {"indices": i64.tensor([[0, 1], [0, 2], [0, 3], [0, 4]]), "updates": [4, 3, 2]},
    ],
}
REPEATED = {
    "indices": i64.tensor([[3, 4], [0, 0], [3, 4], [0, 4], [3, 4]]),
    "updates": [5, 3, 2],
}
ONE_ROW = [[0], [2], [-3], [-3], [0]]
ROW_ERRATUM = (
    "indices is printed with shape [5], a tuple of 5 items for data of rank 1; [5, 1] is what the "
    "page's formula for updates asks for"
)
LARGE_EXAMPLE = example(
    # Data of 38 million elements: the page leaves the type open, so it is a small one.
    data=u8[1000, 256, 10, 15],
    indices=i64[25, 125, 3],
    updates=u8[25, 125, 15],
    output=[1000, 256, 10, 15],
    ports=[0, 1, 2, 3],
)

ScatterNDUpdate3 = Operation(
    "ScatterNDUpdate-3",
    opset="opset4",
    inputs=inputs(T3),
    outputs=[Output("output", T3)],
    examples=[LARGE_EXAMPLE],
    variants=VARIANTS,
)

ScatterNDUpdate15 = Operation(
    "ScatterNDUpdate-15",
    opset="opset15",
    inputs=inputs(T15),
    outputs=[Output("output", T15)],
    attributes=[Attribute("reduction", ("none", *REDUCTIONS), default="none")],
    examples=[
        *(
            example(
                data=kind[4],
                indices=i32.tensor(ONE_ROW),
                updates=kind[5],
                reduction=reduction,
                output=[4],
                ports=[0, 1, 2, 3],
                erratum=ROW_ERRATUM + more,
            )
            for reduction, kind, more in (
                (
                    "none",
                    f32,
                    "; of the stated values 50, 20, 20, 4 the second is neither 30 nor 40",
                ),
                ("sum", f16, ""),
                ("sub", i32, ""),
                ("prod", f32, "; 2 * 30 * 40 is 2400 and 3 * 20 is 60, not 3600 and 40"),
            )
        ),
        example(
            **{**LARGE_EXAMPLE.layer, "reduction": "none"},
            output=[1000, 256, 10, 15],
            ports=[0, 1, 2, 3],
        ),
    ],
    variants={
        **VARIANTS,
        "reduction": [{"reduction": reduction} for reduction in REDUCTIONS],
        "reduction-types": [
            {"reduction": reduction, "data": kind, "updates": kind}
            for reduction in REDUCTIONS
            for kind in T15.types
        ],
        "boolean-reduction": [
            {**REPEATED, "data": boolean, "updates": boolean[5, 3, 2], "reduction": reduction}
            for reduction in REDUCTIONS
        ],
        "elements-reduction": [
            {"indices": [6, 4], "updates": [6], "reduction": reduction} for reduction in REDUCTIONS
        ],
        "repeated-indices": [
            REPEATED,
            {"data": [2, 5, 3, 2], "indices": [4, 1], "updates": [4, 5, 3, 2]},
            *({**REPEATED, "reduction": reduction} for reduction in REDUCTIONS),
        ],
        "negative-indices": [
            {**given, "indices": kind.tensor([[-1, 0], [3, -5], [-4, -1]]), "updates": [3, 3, 2]}
            for kind in (i64, i32)
            for given in ({}, {"reduction": "sum"})
        ],
    },
)


def plain(rank=4):
    """Tuples into the first two dimensions."""
    data = [4, 5, 3, 2, 1, 2, 3, 2][:rank]
    if rank == 1:
        return {"data": [7], "indices": [4, 1], "updates": [4]}
    return {"data": data, "indices": [6, 2], "updates": [6, *data[2:]]}


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
    return {"data": data, "indices": [*lead, length], "updates": [*lead, *data[length:]]}


@ScatterNDUpdate15.random
def layer_15(draw):
    """Small index tensors are stated, with indices from the end; repeated ones where no product overflows."""
    layer = layer_3(draw)
    reduction = draw.choice([None, "none", *REDUCTIONS])
    shape = layer["indices"]
    if reduction != "prod" and math.prod(shape) <= 12 and draw.boolean():
        sizes = layer["data"][: shape[-1]]
        stated = [
            [draw.integer(-size, size - 1) for size in sizes] for _ in range(math.prod(shape[:-1]))
        ]
        layer["indices"] = i64.tensor(np.reshape(stated, shape))
    return {**layer, "reduction": reduction}


def updates_shape(layer):
    if not tuples_fit_data(layer):
        return True
    expected = (*layer.indices.shape[:-1], *layer.data.shape[layer.indices.shape[-1] :])
    return layer.updates.shape == expected or (expected == () and layer.updates.size == 1)


def indices_are_in_range(layer, with_negative):
    sizes = indexed_dimensions(layer)
    if layer.indices.value is None:
        return 0 not in sizes or layer.indices.size == 0
    tuples = np.array(layer.indices.value, object).reshape(-1, len(sizes))
    return all(
        (-size if with_negative else 0) <= i < size
        for each in tuples
        for i, size in zip(each, sizes, strict=True)
    )


def broken_indices(*wrong):
    return [{"indices": i64.tensor([[1, 0], [3, 4], each]), "updates": [3, 3, 2]} for each in wrong]


for operation in (ScatterNDUpdate3, ScatterNDUpdate15):
    operation.rule(
        "a tuple of indices has at most as many items as data has dimensions",
        broken=[{"indices": [6, 5]}, {"indices": [6, 5], "updates": [6]}],
    )(tuples_fit_data)
    operation.rule(
        "updates has the shape indices.shape[:-1] + data.shape[indices.shape[-1]:]",
        broken=[
            {"updates": [5, 3, 2]},
            {"updates": [6, 2, 3]},
            {"updates": [6, 3]},
            {"indices": [4, 1]},
            {"indices": [6, 3]},
            {"indices": [4], "updates": [2]},
        ],
    )(updates_shape)


@ScatterNDUpdate3.rule(
    "indices are in [0, s - 1], s the dimension that each goes into",
    broken=broken_indices([4, 0], [0, 5], [-1, 0], [0, -1]),
)
def indices_are_places(layer):
    return indices_are_in_range(layer, with_negative=False)


@ScatterNDUpdate15.rule(
    "indices are in [-s, s - 1], s the dimension that each goes into",
    broken=broken_indices([4, 0], [0, 5], [-5, 0], [0, -6]),
)
def indices_are_places_from_both_ends(layer):
    return indices_are_in_range(layer, with_negative=True)


# A device may answer what it likes here: the page calls the result undefined, so nothing breaks this rule.
@ScatterNDUpdate3.rule("indices has no duplicate entries")
def tuples_differ(layer):
    numbers = places(layer)
    return numbers is None or len(set(numbers.tolist())) == len(numbers)
