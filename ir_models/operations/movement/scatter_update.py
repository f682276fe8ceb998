"""ScatterUpdate: slices written along an axis (page ScatterUpdate-3)."""

import numpy as np

from ir_models.declaration import Index, Input, Operation, Output, at_least, between, example
from ir_models.element_types import INTEGERS, NUMERIC, f32, i64, types, u8
from ir_models.values import distinct

T_NUMERIC = types("T_NUMERIC", NUMERIC)
T_IND = types("T_IND", INTEGERS)
T_AXIS = types("T_AXIS", INTEGERS)


def axis_of(layer):
    """The axis as the layer counts it."""
    return int(np.ravel(layer.axis.value)[0])


def normal_axis(layer):
    """The axis from 0; any number for a layer whose axis is wrong."""
    return axis_of(layer) % max(layer.data.rank, 1)


def size_along_axis(layer):
    return layer.data.shape[normal_axis(layer)] if layer.data.rank else 1


def indices(layer, state):
    """Different places along the axis, as long as there are so many."""
    size, count = size_along_axis(layer), layer.indices.size
    return state.permutation(max(size, count))[:count] % max(size, 1)


def updates(layer, state):
    """Any values where no two slices go to one place; the page leaves their order open, so else all are equal."""
    stated = layer.indices.value
    repeated = stated is not None and len(set(np.ravel(stated))) < layer.indices.size
    if not repeated and layer.indices.size <= size_along_axis(layer):
        return None
    axis, shape = normal_axis(layer), layer.updates.shape
    slices = [*shape[:axis], *[1] * layer.indices.rank, *shape[axis + layer.indices.rank :]]
    values = distinct(layer.updates.element_type, int(np.prod(slices)), state)
    return np.broadcast_to(values.reshape(slices), shape)


ScatterUpdate = Operation(
    "ScatterUpdate-3",
    opset="opset3",
    inputs=[
        Input("data", T_NUMERIC, at_least(1)),
        Input("indices", T_IND, values=indices),
        Input("updates", T_NUMERIC, values=updates),
        Index("axis", T_AXIS, between(0, 1)),
    ],
    outputs=[Output("output", T_NUMERIC)],
    examples=[
        example(
            # The page prints FP32 at the output; 375 million updates are fed in a small type instead.
            data=u8[1000, 256, 10, 15],
            indices=i64[125, 20],
            updates=u8[1000, 125, 20, 10, 15],
            axis=[1],
            output=[1000, 256, 10, 15],
            ports=[0, 1, 2, 3, 4],
        ),
        example(
            data=f32[3, 5],
            indices=i64.tensor([0, 2]),
            updates=f32[3, 2],
            axis=[1],
            output=[3, 5],
            ports=[0, 1, 2, 3, 4],
        ),
    ],
    variants={
        "axis": [
            {"axis": 0, "indices": [2], "updates": [2, 11, 4]},
            {"axis": 2, "indices": [3, 1], "updates": [3, 11, 3, 1]},
        ],
        "negative-axis": [
            {"axis": -1, "indices": [3], "updates": [3, 11, 3]},
            {"axis": -2},
            {"axis": -3, "indices": [2], "updates": [2, 11, 4]},
        ],
        "axis-1d": [{"axis": [1]}, {"axis": [-2]}],
        "scalar-index": [
            {"indices": [], "updates": [3, 4]},
            {"indices": [], "updates": [11, 4], "axis": 0},
        ],
        "whole": [{"indices": [11], "updates": [3, 11, 4]}],
        "index-order": [
            {"indices": i64.tensor([6, 4, 2, 0]), "updates": [3, 4, 4]},
            {"indices": i64.tensor([2, 3, 4, 5]), "updates": [3, 4, 4]},
        ],
        "repeated-indices": [
            {"indices": i64.tensor([5, 5, 5, 0]), "updates": [3, 4, 4]},
            {"indices": [4, 3], "updates": [3, 4, 3, 4]},
        ],
    },
)


@ScatterUpdate.plain
def plain(rank=3):
    """Fewer indices than the axis has places, in two dimensions."""
    if rank == 1:
        return {"data": [7], "indices": [2, 3], "updates": [2, 3], "axis": 0}
    data = [3, 11, 4, 1, 2, 1, 2, 3][:rank]
    return {"data": data, "indices": [2, 5], "updates": [data[0], 2, 5, *data[2:]], "axis": 1}


@ScatterUpdate.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    data[axis] = draw.integer(3, 8)
    indices = draw.shape(draw.integer(0, 2), 1, 3)
    counted = draw.choice([axis, axis - rank])
    return {
        "data": data,
        "indices": indices,
        "updates": [*data[:axis], *indices, *data[axis + 1 :]],
        "axis": draw.choice([counted, [counted]]),
    }


@ScatterUpdate.rule("axis is a scalar or has one element", broken={"axis": [1, 2]})
def axis_is_one(layer):
    return layer.axis.size == 1


@ScatterUpdate.rule(
    "axis is in [-rank of data, rank of data - 1]", broken=[{"axis": 3}, {"axis": -4}]
)
def axis_is_in_range(layer):
    return -layer.data.rank <= axis_of(layer) < layer.data.rank


@ScatterUpdate.rule(
    "updates has the rank of data and indices together, less one",
    broken=[{"updates": [3, 10, 4]}, {"updates": [3, 2, 5, 4, 1]}],
)
def updates_rank(layer):
    return layer.updates.rank == layer.data.rank + layer.indices.rank - 1


@ScatterUpdate.rule(
    "updates has the shape of data with that of indices in place of axis",
    broken=[{"updates": [3, 5, 2, 4]}, {"updates": [3, 2, 5, 5]}, {"updates": [2, 2, 5, 4]}],
)
def updates_shape(layer):
    if not axis_is_in_range(layer) or not updates_rank(layer):
        return True
    axis, data = normal_axis(layer), layer.data.shape
    return layer.updates.shape == (*data[:axis], *layer.indices.shape, *data[axis + 1 :])


@ScatterUpdate.rule(
    "indices are in [0, s - 1], s the size of data along axis",
    broken=[
        {"indices": i64.tensor([[0, 11, 2, 7, 6], [3, 4, 5, 1, 8]])},
        {"indices": i64.tensor([[0, -1, 2, 7, 6], [3, 4, 5, 1, 8]])},
    ],
)
def indices_are_in_range(layer):
    size = size_along_axis(layer)
    if layer.indices.value is None:
        return size > 0 or layer.indices.size == 0
    return all(0 <= i < size for i in np.ravel(np.array(layer.indices.value, object)))
