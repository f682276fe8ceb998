"""ShuffleChannels: channels of several groups in turn (page ShuffleChannels-1)."""

from math import gcd

from ir_models.declaration import *

T = types("T", "any supported numeric type")


def channels(layer):
    return layer.data.shape[layer.axis]


ShuffleChannels = Operation(
    "ShuffleChannels-1",
    "opset3",
    inputs=[Input("data", T, at_least(1))],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("axis", int, default=1, axis_of="data"),
        Attribute("group", int, default=1, least=1),
    ],
    examples=[example("data=f32[5,12,200,400]; axis=1; group=3", output=[5, 12, 200, 400])],
    rules=[
        rule(
            "group divides the channels",
            lambda layer: channels(layer) > 0 and channels(layer) % max(layer.group, 1) == 0,
            ["group=5|24", "data=[2,6,13,5]"],
        )
    ],
    variants=variants("""
        axis: any dimension may hold the channels
            data=[6,2,3,5]; axis=0
            data=[2,6,3,5]; axis=1
            data=[2,3,5,6]; axis=3
        negative-axis: the axis counts from -rank(data)
            axis=-2
            data=[2,3,5,6]; axis=-1
            data=[6,2,3,5]; axis=-4
        group: every divisor of the channels, from 1 to all of them
            group=1|2|4|6|12
            data=[2,6,7,5]; group=7
    """),
)


@ShuffleChannels.plain
def plain(rank=4):
    """Without axis the three groups are those of dimension 1."""
    shape = [12] if rank == 1 else [2, 6, 12, 5, 1, 2, 1, 3][:rank]
    return {"data": shape, "axis": min(rank - 1, 2), "group": 3}


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


@ShuffleChannels.adapt
def divide(layer):
    return {"group": gcd(layer.group, channels(layer))}
