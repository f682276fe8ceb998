"""GatherND: slices of data by tuples of indices (pages GatherND-5 and GatherND-8).

The versions differ in one thing: GatherND-5 joins the batch dimensions of the output into one.
"""

import math

import numpy as np

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, INTEGERS, f32, i64, types, u8

T = types("T", ANY)
T_IND = types("T_IND", INTEGERS)


def indexed_dimensions(layer):
    """The dimensions of data that the tuples of indices go into."""
    b = layer.batch_dims
    return layer.data.shape[b : b + layer.indices.shape[-1]]


def places(layer, state):
    """Tuples of indices, each within its dimension."""
    if layer.indices.rank == 0 or layer.batch_dims < 0:
        return np.zeros(layer.indices.shape, int)
    # An invalid layer may have longer tuples than data has dimensions.
    sizes = [*indexed_dimensions(layer), *[1] * layer.indices.shape[-1]][: layer.indices.shape[-1]]
    columns = [state.randint(0, max(size, 1), layer.indices.shape[:-1]) for size in sizes]
    return np.stack(columns, -1) if columns else np.zeros(layer.indices.shape, int)


INPUTS = [Input("data", T, at_least(1)), Input("indices", T_IND, at_least(1), values=places)]
BATCH_DIMS = Attribute("batch_dims", int, default=0, least=0)

VARIANTS = {
    "elements": [
        {"indices": [3, 5, 3]},
        {"indices": [3, 3], "batch_dims": 1},
        {"indices": [5, 4], "batch_dims": 0},
        {"indices": [4], "batch_dims": 0},
    ],
    "slices": [{"indices": [3, 5, 1]}, {"indices": [5, 1], "batch_dims": 0}],
    "leading-dimensions": [{"indices": [3, 5, 2, 1, 2]}, {"indices": [7, 5, 2], "batch_dims": 0}],
    "batch-dims": [
        {"batch_dims": 0},
        {"batch_dims": 2, "indices": [3, 2, 5, 1]},
        {"batch_dims": 2, "indices": [3, 2, 2]},
        {"batch_dims": 3, "indices": [3, 2, 5, 4, 1]},
        {"batch_dims": 3, "indices": [3, 2, 5, 1]},
    ],
    "batch-only": [{"indices": [3, 2]}, {"indices": [3, 1]}],
    "repeated-indices": [
        {"indices": i64.tensor([[1, 0], [1, 0], [2, 1], [2, 1], [1, 0]]), "batch_dims": 0}
    ],
}

GatherND5 = Operation(
    "GatherND-5",
    opset="opset5",
    inputs=INPUTS,
    outputs=[Output("output", T)],
    attributes=[BATCH_DIMS],
    examples=[
        # Data of 38 million elements: the page leaves the type open, so it is a small one.
        example(
            data=u8[1000, 256, 10, 15],
            indices=i64[25, 125, 3],
            batch_dims=0,
            output=[25, 125, 15],
            ports=[0, 1, 3],
        ),
        example(
            data=f32[30, 2, 100, 35],
            indices=i64[30, 2, 3, 1],
            batch_dims=2,
            output=[60, 3, 35],
            ports=[0, 1, 3],
        ),
    ],
    variants=VARIANTS,
)

GatherND8 = Operation(
    "GatherND-8",
    opset="opset8",
    inputs=INPUTS,
    outputs=[Output("output", T)],
    attributes=[BATCH_DIMS],
    examples=[
        example(
            data=u8[1000, 256, 10, 15],
            indices=i64[25, 125, 3],
            batch_dims=0,
            output=[25, 125, 15],
            ports=[0, 1, 3],
        ),
        example(
            data=f32[30, 2, 100, 35],
            indices=i64[30, 2, 3, 1],
            batch_dims=2,
            output=[30, 2, 3, 35],
            ports=[0, 1, 3],
        ),
        example(
            data=f32[1, 64, 64, 320],
            indices=i64[1, 64, 64, 1, 1],
            batch_dims=3,
            output=[1, 64, 64, 1],
            ports=[0, 1, 3],
        ),
    ],
    variants=VARIANTS,
)


def plain(rank=4):
    """Tuples into two dimensions, one batch dimension."""
    shape = [3, 2, 5, 4, 1, 2, 3, 2]
    if rank == 1:
        return {"data": [7], "indices": [4, 1], "batch_dims": 0}
    if rank == 2:
        return {"data": [3, 5], "indices": [3, 4, 1], "batch_dims": 1}
    return {"data": shape[:rank], "indices": [3, 6, 2], "batch_dims": 1}


def layer(draw):
    rank = draw.integer(1, 6)
    b = draw.integer(0, min(rank - 1, 3))
    data = draw.shape(rank, 1, 4 if rank <= 4 else 3)
    data[b] = draw.integer(4, 6)
    length = draw.integer(1, rank - b)
    indices = data[:b] + draw.shape(draw.integer(0, 2), 1, 4) + [length]
    batch_dims = draw.choice([0, None]) if b == 0 else b
    return {"data": data, "indices": indices, "batch_dims": batch_dims}


def batch_dims_is_in_range(layer):
    return layer.batch_dims < min(layer.data.rank, layer.indices.rank)


def batches_are_equal(layer):
    b = layer.batch_dims
    if b < 0 or not batch_dims_is_in_range(layer):
        return True
    return layer.data.shape[:b] == layer.indices.shape[:b]


def tuples_fit_data(layer):
    return layer.batch_dims + layer.indices.shape[-1] <= layer.data.rank


def indices_are_in_range(layer):
    sizes = indexed_dimensions(layer)
    if layer.indices.value is None:
        return math.prod(sizes) > 0 or layer.indices.size == 0
    tuples = np.reshape(np.array(layer.indices.value, object), (-1, layer.indices.shape[-1]))
    return all(0 <= i < size for each in tuples for i, size in zip(each, sizes, strict=True))


for operation in (GatherND5, GatherND8):
    operation.plain(plain)
    operation.random(layer)
    operation.rule(
        "batch_dims is less than the ranks of data and indices",
        broken=[{"batch_dims": 3, "data": [3, 6, 2], "indices": [3, 6, 2, 0]}],
    )(batch_dims_is_in_range)
    operation.rule(
        "the first batch_dims dimensions of data and indices are equal",
        broken=[{"indices": [2, 6, 2]}, {"indices": [1, 6, 2]}, {"data": [1, 2, 5, 4]}],
    )(batches_are_equal)
    operation.rule(
        "a tuple of indices has at most as many items as data has dimensions after the batch",
        broken=[{"indices": [3, 6, 4]}, {"indices": [3, 5], "batch_dims": 0}],
    )(tuples_fit_data)
    operation.rule(
        "indices are in [0, s - 1], s the dimension that each goes into",
        broken=[
            {"indices": i64.tensor([[1, 4], [2, 0], [0, 3]]), "batch_dims": 1},
            {"indices": i64.tensor([[1, 4], [0, 5], [0, 3]]), "batch_dims": 1},
            {"indices": i64.tensor([[1, 4], [0, -1], [0, 3]]), "batch_dims": 1},
        ],
    )(indices_are_in_range)
