"""GatherElements: elements along an axis, each by an index of its own (page GatherElements-6)."""

import numpy as np

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, f32, i32, i64, types

T = types("T", ANY)
T_IND = types("T_IND", i32, i64)


def places(layer, state):
    """Indices within the axis, each place as likely as another; of a layer without a right axis they are 0."""
    axis_exists = layer.axis is not None and axis_is_in_range(layer)
    size = layer.data.shape[layer.axis] if axis_exists else 1
    return state.randint(0, max(size, 1), layer.indices.shape)


GatherElements = Operation(
    "GatherElements-6",
    opset="opset6",
    inputs=[
        Input("data", T, at_least(1)),
        Input("indices", T_IND, at_least(1), values=places),
    ],
    outputs=[Output("output", T)],
    attributes=[Attribute("axis", int, required=True)],
    examples=[
        example(
            data=f32[3, 7, 5], indices=i64[3, 10, 5], axis=1, output=[3, 10, 5], ports=[0, 1, 2]
        )
    ],
    variants={
        "axis": [
            {"axis": 0, "indices": [5, 5, 3, 4]},
            {"axis": 2, "indices": [2, 5, 4, 4]},
            {"axis": 3, "indices": [2, 5, 3, 6]},
        ],
        "negative-axis": [
            {"axis": -1, "indices": [2, 5, 3, 6]},
            {"axis": -3},
            {"axis": -4, "indices": [5, 5, 3, 4]},
        ],
        "fewer-indices": [{"indices": [2, 1, 3, 4]}, {"indices": [2, 3, 3, 4]}],
        "more-indices": [{"indices": [2, 11, 3, 4]}],
        "repeated-indices": [
            {"data": [2, 5, 1], "indices": i64.tensor([[[4]] * 4, [[0], [3], [3], [0]]])},
        ],
    },
)


@GatherElements.plain
def plain(rank=4):
    """More indices than the axis has places."""
    data = [2, 5, 3, 4, 1, 2, 3, 2][:rank] if rank > 1 else [6]
    axis = min(1, rank - 1)
    indices = [*data[:axis], data[axis] + 2, *data[axis + 1 :]]
    return {"data": data, "indices": indices, "axis": axis}


@GatherElements.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    data[axis] = draw.integer(2, 6)
    indices = [*data[:axis], draw.integer(1, 7), *data[axis + 1 :]]
    return {"data": data, "indices": indices, "axis": draw.choice([axis, axis - rank])}


@GatherElements.rule(
    "axis is in [-rank of data, rank of data - 1]", broken=[{"axis": 4}, {"axis": -5}]
)
def axis_is_in_range(layer):
    return -layer.data.rank <= layer.axis < layer.data.rank


@GatherElements.rule("indices has the rank of data", broken=[{"indices": [2, 7, 3]}])
def ranks_are_equal(layer):
    return layer.indices.rank == layer.data.rank


@GatherElements.rule(
    "indices has the shape of data except along axis",
    broken=[{"indices": [1, 7, 3, 4]}, {"indices": [2, 7, 4, 4]}, {"indices": [2, 7, 3, 5]}],
)
def shapes_agree(layer):
    if not axis_is_in_range(layer) or not ranks_are_equal(layer):
        return True
    axis = layer.axis % layer.data.rank
    pairs = zip(layer.data.shape, layer.indices.shape, strict=True)
    return all(d == i for place, (d, i) in enumerate(pairs) if place != axis)


@GatherElements.rule(
    "indices are in [0, data.shape[axis] - 1]",
    broken=[
        {"data": [2, 5], "indices": i64.tensor([[4, 5], [0, 1]])},
        {"data": [2, 5], "indices": i64.tensor([[4, 0], [0, -1]])},
    ],
)
def indices_are_in_range(layer):
    size = layer.data.shape[layer.axis]
    if layer.indices.value is None:
        return size > 0 or layer.indices.size == 0
    return all(0 <= index < size for index in np.ravel(layer.indices.value))
