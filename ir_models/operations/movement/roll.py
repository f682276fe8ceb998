"""Roll: elements move along axes and come in again at the other end (page Roll-7)."""

from ir_models.declaration import Index, Input, Operation, Output, between, example
from ir_models.element_types import ANY, f32, i32, i64, types

T = types("T", ANY)
T_IND_1 = types("T_IND_1", i32, i64)
T_IND_2 = types("T_IND_2", i32, i64)

Roll = Operation(
    "Roll-7",
    opset="opset7",
    inputs=[
        Input("data", T),
        Index("shift", T_IND_1, between(0, 1)),
        Index("axes", T_IND_2, between(0, 1)),
    ],
    outputs=[Output("output", T)],
    examples=[
        # The page prints the shapes of shift and axes and not their values.
        example(
            data=f32[3, 10, 100, 200],
            shift=[2, -7],
            axes=[1, 2],
            output=[3, 10, 100, 200],
            ports=[0, 1, 2, 0],
        ),
        # The page's heading says that shift is a scalar; the port has one dimension of 1.
        example(
            data=f32[3, 10, 100, 200],
            shift=3,
            axes=[1, 3],
            output=[3, 10, 100, 200],
            ports=[0, 1, 2, 0],
        ),
    ],
    variants={
        "scalar": [
            {"shift": 2, "axes": 2},
            {"shift": 1, "axes": [1, 3]},
            {"shift": -2, "axes": [2]},
        ],
        "negative-axis": [
            {"axes": [-1, -3]},
            {"axes": [3, -4]},
            {"shift": 1, "axes": -2},
        ],
        "one-axis": [{"shift": [1], "axes": [axis]} for axis in range(4)],
        "all-axes": [{"shift": [1, -1, 2, 3], "axes": [3, 0, 1, 2]}],
        "empty-axes": [{"shift": [], "axes": []}, {"shift": 1, "axes": []}],
        # Shifts of one axis add up, also under two names and to nothing.
        "repeated-axes": [
            {"shift": [1, 2, 1], "axes": [2, 1, 2]},
            {"shift": [1, 2], "axes": [2, -2]},
            {"shift": [3, -1, -2], "axes": [2, 1, 2]},
            {"shift": 2, "axes": [2, 2, 2]},
        ],
        "shift-beyond-dimension": [
            {"shift": [5, 3]},
            {"shift": [17, -8]},
            {"shift": [-1000003, 10**9]},
            {"shift": [2**40 + 1, -(2**50) - 1]},
        ],
        "no-shift": [{"shift": [0, 0]}],
    },
)


@Roll.plain
def plain(rank=4):
    return {
        "data": [2, 3, 5, 4, 1, 2, 3, 1][:rank],
        "shift": [[], [1], [1, -1], [2, -1]][min(rank, 3)],
        "axes": [[], [0], [0, 1], [2, 1], [3, 1], [3, 1], [5, 2], [6, 2], [6, 3]][rank],
    }


@Roll.random
def layer(draw):
    rank = draw.integer(1, 6)
    given = {"data": draw.shape(rank, most=3 if rank > 4 else 5)}
    if draw.integer(0, 3):
        axes = [draw.integer(-rank, rank - 1) for _ in range(draw.integer(1, 4))]
        if draw.boolean():
            return {**given, "shift": [draw.integer(-9, 9) for _ in axes], "axes": axes}
        return {**given, "shift": draw.integer(-9, 9), "axes": axes}
    return {**given, "shift": draw.integer(-9, 9), "axes": draw.integer(-rank, rank - 1)}


@Roll.rule(
    "a shift of rank 1 has the shape of axes",
    broken=[{"shift": [2, -1, 1]}, {"axes": [2, 1, 0]}, {"axes": 2}, {"shift": [1], "axes": 2}],
)
def a_shift_for_each_axis(layer):
    return layer.shift.rank != 1 or layer.shift.shape == layer.axes.shape


@Roll.rule("axes are in [-rank(data), rank(data))", broken=[{"axes": [2, 4]}, {"axes": [-5, 1]}])
def axes_exist(layer):
    axes = layer.axes.value if layer.axes.rank else [layer.axes.value]
    return all(-layer.data.rank <= a < layer.data.rank for a in axes)
