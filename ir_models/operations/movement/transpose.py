"""Transpose: the dimensions in another order (page Transpose-1)."""

from itertools import permutations

from ir_models.declaration import ANY_RANK, Index, Input, Operation, Output, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T = types("T", ANY)
T_AXIS = types("T_AXIS", INTEGERS)

Transpose = Operation(
    "Transpose-1",
    opset="opset1",
    inputs=[Input("arg", T, ANY_RANK), Index("input_order", T_AXIS)],
    outputs=[Output("y", T)],
    examples=[
        example(arg=f32[2, 3, 4], input_order=[2, 0, 1], output=[4, 2, 3], ports=[0, 1, 2]),
        example(arg=f32[2, 3, 4], input_order=[], output=[4, 3, 2], ports=[0, 1, 2]),
    ],
    variants={
        "empty-axes": [
            {"arg": [3, 5, 2, 4, 6, 2, 3, 2][:rank], "input_order": []} for rank in range(9)
        ],
        "permutation": [
            {"arg": [3, 5, 2, 4][:rank], "input_order": order}
            for rank in (2, 3, 4)
            for order in permutations(range(rank))
        ],
    },
)


@Transpose.plain
def plain(rank=4):
    """No order is its own inverse where the rank allows one, so that an inverted order shows."""
    orders = [
        [],
        [0],
        [1, 0],
        [2, 0, 1],
        [2, 0, 3, 1],
        [3, 0, 4, 1, 2],
        [4, 2, 0, 5, 1, 3],
        [3, 6, 0, 5, 1, 4, 2],
        [5, 2, 7, 0, 4, 6, 1, 3],
    ]
    return {"arg": [3, 5, 2, 4, 6, 2, 3, 1][:rank], "input_order": orders[rank]}


@Transpose.random
def layer(draw):
    rank = draw.integer(0, 7)
    order = [] if draw.integer(0, 9) == 0 else draw.permutation(rank)
    return {"arg": draw.shape(rank, most=5 if rank < 5 else 3), "input_order": order}


@Transpose.rule(
    "input_order has as many elements as arg has dimensions, or none",
    broken=[{"input_order": [2, 0, 1]}, {"input_order": [2, 0, 4, 3, 1]}, {"arg": [3, 5, 2]}],
)
def length(layer):
    return layer.input_order.size in (0, layer.arg.rank)


@Transpose.rule(
    "input_order has every integer from 0 to n - 1",
    broken=[
        {"input_order": [2, 0, 2, 1]},
        {"input_order": [2, 0, 4, 1]},
        {"input_order": [2, 0, -1, 1]},
    ],
)
def every_axis_once(layer):
    return sorted(layer.input_order.value) == list(range(layer.input_order.size))
