"""LogSoftmax: the logarithm of softmax along an axis (page LogSoftmax-5)."""

from ir_models.declaration import Attribute, Input, Interval, Operation, Output, at_least, example
from ir_models.element_types import FLOATS, f32, types

T = types("T", FLOATS)

LogSoftmax = Operation(
    "LogSoftmax-5",
    opset="opset5",
    inputs=[Input("x", T, at_least(1), values=Interval(-8.0, 8.0))],
    outputs=[Output("y", T)],
    attributes=[Attribute("axis", int, default=1)],
    examples=[example(x=f32[256, 56], axis=1, output=[256, 56], ports=[0, 3])],
    variants={
        "axis": [{"axis": axis} for axis in range(4)],
        "negative-axis": [{"axis": -1}, {"axis": -2}, {"axis": -3}, {"axis": -4}],
        "many-classes": [
            {"x": [3, 1000], "axis": 1},
            {"x": [1000, 3], "axis": 0},
            {"x": [2, 50257], "axis": -1},
        ],
        # e^x overflows in every type, or vanishes, and the logarithms do not.
        "large-values": [
            {"x": f32.tensor([[1000.0, 999.0, 998.5], [-1000.0, -1001.0, -999.25]])},
            {"x": f32.tensor([[200.0, -300.0, 90.5], [-2.0, 1.0, 20000.0]])},
            {"x": f32.tensor([[3.0e38, 3.0e38, 1.0e38], [-2.0, 1.0, 90.0]])},
        ],
        # The logarithm of something close to 1.
        "small-results": [{"x": f32.tensor([[12.0, 0.5, -3.0], [-20.0, 3.5, -9.25]])}],
    },
)


@LogSoftmax.plain
def plain(rank=4):
    return {"x": [3, 5, 4, 6, 2, 3, 1, 2][:rank], "axis": min(rank - 1, 1)}


@LogSoftmax.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.choice([*range(-rank, rank), *([None] if rank > 1 else [])])
    shape = draw.shape(rank, most=3 if rank > 4 else 6)
    # The share of a single class is 1.
    shape[1 if axis is None else axis] += 1
    return {"x": shape, "axis": axis}


@LogSoftmax.rule("axis is in [-rank(x), rank(x))", broken=[{"axis": 4}, {"axis": -5}])
def axis_exists(layer):
    return -layer.x.rank <= layer.axis < layer.x.rank
