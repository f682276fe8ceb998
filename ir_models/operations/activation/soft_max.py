"""SoftMax: e^z / Σ e^z along an axis (page SoftMax-8)."""

from ir_models.declaration import Attribute, Input, Interval, Operation, Output, at_least, example
from ir_models.element_types import FLOATS, f32, types

# The page names no types; quotients of powers of e are reals.
T = types("T", FLOATS)

SoftMax_8 = Operation(
    "SoftMax-8",
    opset="opset8",
    inputs=[Input("data", T, at_least(1), values=Interval(-8.0, 8.0))],
    outputs=[Output("output", T)],
    attributes=[Attribute("axis", int, default=1)],
    # The page leaves the shapes of its example open.
    examples=[example(data=f32[2, 5], axis=1, output=[2, 5], ports=[0, 1])],
    variants={
        "axis": [{"axis": axis} for axis in range(4)],
        "negative-axis": [{"axis": -1}, {"axis": -2}, {"axis": -3}, {"axis": -4}],
        "many-classes": [
            {"data": [3, 1000], "axis": 1},
            {"data": [1000, 3], "axis": 0},
            {"data": [2, 50257], "axis": -1},
        ],
        # e^z overflows in every type and the quotients do not.
        "large-values": [
            {"data": f32.tensor([[1000.0, 999.0, 998.5], [-1000.0, -1001.0, -999.25]])},
            {"data": f32.tensor([[3.0e38, 3.0e38, -3.0e38], [-2.0, 1.0, 90.0]])},
        ],
    },
)


@SoftMax_8.plain
def plain(rank=4):
    return {"data": [3, 5, 4, 6, 2, 3, 1, 2][:rank], "axis": min(rank - 1, 1)}


@SoftMax_8.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.choice([*range(-rank, rank), *([None] if rank > 1 else [])])
    shape = draw.shape(rank, most=3 if rank > 4 else 6)
    # The share of a single class is 1.
    shape[1 if axis is None else axis] += 1
    return {"data": shape, "axis": axis}


@SoftMax_8.rule("axis is in [-rank(data), rank(data))", broken=[{"axis": 4}, {"axis": -5}])
def axis_exists(layer):
    return -layer.data.rank <= layer.axis < layer.data.rank
