"""Gather: slices of data along an axis, by indices (pages Gather-1, Gather-7 and Gather-8)."""

import numpy as np

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    at_least,
    between,
    example,
)
from ir_models.element_types import ANY, INTEGERS, f32, i8, i16, i32, i64, types, u8, u64

T = types("T", ANY)
T_IND = types("T_IND", INTEGERS)
T_AXIS = types("T_AXIS", INTEGERS)


def axis_of(layer):
    """The axis as the layer counts it."""
    return int(np.ravel(layer.axis.value)[0])


def normal_axis(layer):
    """The axis from 0; any number for a layer whose axis is wrong."""
    return axis_of(layer) % max(layer.data.rank, 1)


def normal_batch_dims(layer):
    b = layer.batch_dims
    return b + layer.indices.rank if b < 0 else b


def places(layer, state):
    """Indices within the axis, each place as likely as another."""
    size = layer.data.shape[normal_axis(layer)] if layer.data.rank else 1
    return state.randint(0, max(size, 1), layer.indices.shape)


# Gather-1 calls data and indices input1 and input2.
INPUTS = [
    Input("data", T, at_least(1)),
    Input("indices", T_IND, values=places),
    Index("axis", T_AXIS, between(0, 1)),
]
BATCH_DIMS = Attribute("batch_dims", int, default=0)
BATCHED_EXAMPLE = example(
    data=f32[2, 64, 128],
    indices=i64[2, 32, 21],
    axis=1,
    batch_dims=1,
    output=[2, 32, 21, 128],
    ports=[0, 1, 2, 2],
)
BATCHED_VARIANTS = {
    "negative-axis": [{"axis": -2}, {"axis": -1}],
    "axis-1d": [{"axis": [2]}, {"axis": [-1]}],
    "batch-dims": [
        {"batch_dims": 0},
        {"batch_dims": 1, "axis": 1},
        {"batch_dims": 1, "axis": 3},
        {"batch_dims": 2, "indices": [3, 2, 4]},
        {"batch_dims": 3, "axis": 3, "indices": [3, 2, 6, 4]},
    ],
    # As many batch dimensions as indices has: the axis disappears.
    "batch-dims-whole": [{"indices": [3]}, {"indices": [3, 2], "batch_dims": 2}],
    "batch-of-one": [{"data": [1, 6, 5], "indices": [1, 4], "axis": 1}],
    "negative-batch-dims": [{"batch_dims": -1}, {"batch_dims": -2}],
    "scalar-index": [{"indices": [], "batch_dims": 0}, {"indices": [], "batch_dims": None}],
    "repeated-indices": [{"indices": i64.tensor([[4, 4, 1, 4], [0, 0, 0, 0], [5, 2, 2, 5]])}],
}

Gather1 = Operation(
    "Gather-1",
    opset="opset1",
    inputs=INPUTS,
    outputs=[Output("output", T)],
    examples=[
        example(
            # An output of 48 million elements: the page leaves the type open, so it is a small one.
            data=u8[6, 12, 10, 24],
            indices=i64[15, 4, 20, 28],
            axis=1,
            output=[6, 15, 4, 20, 28, 10, 24],
            ports=[0, 1, 2, 2],
        )
    ],
    variants={
        "negative-axis": [{"axis": -2}, {"axis": -1}, {"axis": -3}],
        "axis-1d": [{"axis": [1]}, {"axis": [-1]}],
        "scalar-index": [{"indices": []}],
        "repeated-indices": [{"indices": i64.tensor([6, 6, 2, 0, 0, 6])}],
    },
)

Gather7 = Operation(
    "Gather-7",
    opset="opset7",
    inputs=INPUTS,
    outputs=[Output("output", T)],
    attributes=[BATCH_DIMS],
    examples=[BATCHED_EXAMPLE],
    variants=BATCHED_VARIANTS,
)

Gather8 = Operation(
    "Gather-8",
    opset="opset8",
    inputs=INPUTS,
    outputs=[Output("output", T)],
    attributes=[BATCH_DIMS],
    examples=[BATCHED_EXAMPLE],
    variants={
        **BATCHED_VARIANTS,
        "negative-indices": [
            {"indices": kind.tensor([[-1, 0, -6, 5], [-2, -2, 3, 1], [4, -3, -5, -4]])}
            for kind in (i64, i32, i16, i8)
        ],
        "out-of-range-indices": [
            {"indices": i64.tensor([[6, 0, -7, 5], [-6, 60, 3, 1], [4, -3, -60, 2]])},
            {"indices": i8.tensor([[6, 127, -7, 5], [-6, -128, 3, 1], [4, -3, 0, 2]])},
            {"indices": u8.tensor([[6, 255, 0, 5], [128, 1, 3, 1], [4, 3, 254, 2]])},
            # What remains of these in 32 bits is in range.
            {"indices": i64.tensor([[2**32, 1, 5, 0], [2, 2**32 + 3, 0, 1], [4, 3, -(2**32), 2]])},
            {"indices": u64.tensor([[2**64 - 1, 1, 5, 0], [2, 2**63, 0, 1], [4, 3, 2**32, 2]])},
        ],
    },
)


@Gather1.plain
def plain_1(rank=3):
    if rank == 1:
        return {"data": [7], "indices": [4, 5], "axis": 0}
    shape = [2, 7, 3, 1, 2, 1, 3, 2]
    return {"data": shape[:rank], "indices": [4, 5], "axis": 1}


def plain(rank=4):
    """Rows of the last batch dimension gather along an axis further on."""
    shape = [3, 2, 6, 5, 1, 2, 3, 2]
    if rank == 1:
        return {"data": [6], "indices": [4, 5], "axis": 0, "batch_dims": 0}
    if rank == 2:
        return {"data": [3, 6], "indices": [3, 4], "axis": 1, "batch_dims": 1}
    return {"data": shape[:rank], "indices": [3, 4], "axis": 2, "batch_dims": 1}


Gather7.plain(plain)
Gather8.plain(plain)


def axis_layer(draw, most_batch_dims):
    """A layer whose data and indices share up to ``most_batch_dims`` dimensions; their number."""
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    data = draw.shape(rank, 1, 5 if rank <= 3 else 3)
    data[axis] = draw.integer(2, 6)
    b = draw.integer(0, min(axis, most_batch_dims))
    indices = data[:b] + draw.shape(draw.integer(0, 2), 1, 4)
    counted = draw.choice([axis, axis - rank])
    given = {"data": data, "indices": indices, "axis": draw.choice([counted, [counted]])}
    return given, b


@Gather1.random
def layer_1(draw):
    given, _ = axis_layer(draw, 0)
    return given


def layer_with_batches(draw):
    given, b = axis_layer(draw, 3)
    rank = len(given["indices"])
    same = [b]
    if b == 0:
        same.append(None)
    if b - rank >= -len(given["data"]) and b < rank:
        same.append(b - rank)
    return {**given, "batch_dims": draw.choice(same)}


Gather7.random(layer_with_batches)


@Gather8.random
def layer_8(draw):
    """Small index tensors are stated, now and then with indices from the end or beyond the ends."""
    given = layer_with_batches(draw)
    shape = given["indices"]
    if np.prod(shape, dtype=int) > 12 or draw.boolean():
        return given
    size = given["data"][np.ravel(given["axis"])[0]]
    ends = draw.choice([(-size, size - 1), (-size, size - 1), (-size - 2, size + 1)])
    # The first is in range, so that not all of the output is zero.
    stated = [draw.integer(-size, size - 1)]
    stated += [draw.integer(*ends) for _ in range(np.prod(shape, dtype=int) - 1)]
    return {**given, "indices": i64.tensor(np.reshape(np.array(stated, np.int64), shape))}


def axis_is_one(layer):
    return layer.axis.size == 1


def axis_is_in_range(layer):
    return -layer.data.rank <= axis_of(layer) < layer.data.rank


def indices_are_in_range(layer):
    size = layer.data.shape[normal_axis(layer)]
    if layer.indices.value is None:
        return size > 0 or layer.indices.size == 0
    indices = np.ravel(np.array(layer.indices.value, object))
    return all(0 <= index < size for index in indices)


def batch_dims_is_in_range(layer):
    most = min(layer.data.rank, layer.indices.rank)
    return -most <= layer.batch_dims <= most


def batch_dims_is_not_beyond_axis(layer):
    return not axis_is_in_range(layer) or normal_batch_dims(layer) <= normal_axis(layer)


def batches_are_equal(layer):
    if not batch_dims_is_in_range(layer):
        return True
    b = normal_batch_dims(layer)
    return layer.data.shape[:b] == layer.indices.shape[:b]


AXIS_IS_ONE = "axis is a scalar or has one element"
AXIS_RANGE = "axis is in [-rank of data, rank of data - 1]"
INDEX_RANGE = "indices are in [0, data.shape[axis] - 1]"

Gather1.rule(AXIS_IS_ONE, broken={"axis": [1, 2]})(axis_is_one)
Gather1.rule(AXIS_RANGE, broken=[{"axis": 3}, {"axis": -4}])(axis_is_in_range)
Gather1.rule(
    INDEX_RANGE,
    broken=[{"indices": i64.tensor([6, 7, 2, 0])}, {"indices": i64.tensor([6, -1, 2, 0])}],
)(indices_are_in_range)

for operation in (Gather7, Gather8):
    operation.rule(AXIS_IS_ONE, broken={"axis": [2, 1]})(axis_is_one)
    operation.rule(AXIS_RANGE, broken=[{"axis": 4}, {"axis": -5}])(axis_is_in_range)
    operation.rule(
        "batch_dims is in [-n, n], n the lower rank of data and indices",
        broken=[{"batch_dims": 3, "axis": 3}, {"batch_dims": -3}],
    )(batch_dims_is_in_range)
    operation.rule(
        "batch_dims is not greater than axis, both counted from 0",
        broken=[{"axis": 0}, {"axis": -4}, {"axis": 1, "batch_dims": 2, "indices": [3, 2, 4]}],
    )(batch_dims_is_not_beyond_axis)
    operation.rule(
        "the first batch_dims dimensions of data and indices are equal",
        broken=[{"indices": [2, 4]}, {"indices": [1, 4]}, {"data": [1, 2, 6, 5]}],
    )(batches_are_equal)

Gather7.rule(
    INDEX_RANGE,
    broken=[
        {"indices": i64.tensor([[5, 6, 2, 0], [1, 2, 3, 4], [0, 0, 1, 1]])},
        {"indices": i64.tensor([[5, 1, 2, 0], [1, 2, 3, 4], [0, -1, 1, 1]])},
    ],
)(indices_are_in_range)


@Gather8.rule("the type of data has a zero for indices out of range")
def has_zero(layer):
    size = layer.data.shape[normal_axis(layer)]
    indices = np.ravel(np.array(layer.indices.value, object))
    stated = layer.indices.value is not None
    outside = any(not -size <= i < size for i in indices) if stated else size == 0
    return layer.data.element_type.has_zero or not outside
