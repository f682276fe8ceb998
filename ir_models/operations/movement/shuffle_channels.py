"""ShuffleChannels: channels of several groups in turn (page ShuffleChannels-1)."""

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import NUMERIC, f32, types

T = types("T", NUMERIC)

ShuffleChannels = Operation(
    "ShuffleChannels-1",
    opset="opset3",
    inputs=[Input("data", T, at_least(1))],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("axis", int, default=1),
        Attribute("group", int, default=1, least=1),
    ],
    examples=[
        example(data=f32[5, 12, 200, 400], axis=1, group=3, output=[5, 12, 200, 400], ports=[0, 1])
    ],
    variants={
        "axis": [
            {"data": [6, 2, 3, 5], "axis": 0},
            {"data": [2, 6, 3, 5], "axis": 1},
            {"data": [2, 3, 5, 6], "axis": 3},
        ],
        "negative-axis": [
            {"axis": -2},
            {"data": [2, 3, 5, 6], "axis": -1},
            {"data": [6, 2, 3, 5], "axis": -4},
        ],
        "group": [
            {"group": 1},
            {"group": 2},
            {"group": 4},
            {"group": 6},
            {"group": 12},
            {"data": [2, 6, 7, 5], "group": 7},
        ],
    },
)


@ShuffleChannels.plain
def plain(rank=4):
    """Without axis the three groups are those of dimension 1."""
    return {
        "data": [12] if rank == 1 else [2, 6, 12, 5, 1, 2, 1, 3][:rank],
        "axis": min(rank - 1, 2),
        "group": 3,
    }


@ShuffleChannels.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    axis = draw.integer(-rank, rank - 1)
    group = draw.integer(1, 5)
    shape[axis] = group * draw.integer(1, 4)
    return {
        "data": shape,
        "axis": None if axis == 1 and draw.boolean() else axis,
        "group": None if group == 1 and draw.boolean() else group,
    }


@ShuffleChannels.rule("axis is in [-rank(data), rank(data))", broken=[{"axis": 4}, {"axis": -5}])
def axis_exists(layer):
    return -layer.data.rank <= layer.axis < layer.data.rank


@ShuffleChannels.rule(
    "group divides the channels",
    broken=[{"group": 5}, {"group": 24}, {"data": [2, 6, 13, 5]}],
)
def divides(layer):
    channels = layer.data.shape[layer.axis]
    return layer.group < 1 or (channels > 0 and channels % layer.group == 0)
