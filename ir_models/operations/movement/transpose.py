"""Transpose: the dimensions in another order (page Transpose-1)."""

from itertools import permutations

from ir_models.declaration import *

T = types("T", "any supported type")
T_AXIS = types("T_AXIS", "any integer type")

Transpose = Operation(
    "Transpose-1",
    "opset1",
    inputs=[Input("arg", T), Index("input_order", T_AXIS)],
    outputs=[Output("y", T)],
    examples=[
        example("arg=f32[2,3,4]; input_order=2,0,1", output=[4, 2, 3]),
        example("arg=f32[2,3,4]; input_order=", output=[4, 3, 2]),
    ],
    rules=[
        rule(
            "input_order has as many elements as arg has dimensions, or none",
            lambda layer: layer.input_order.size in (0, layer.arg.rank),
            ["input_order=2,0,1|2,0,4,3,1", "arg=[3,5,2]"],
        ),
        rule(
            "input_order has every integer from 0 to n - 1",
            lambda layer: sorted(layer.input_order.value) == list(range(layer.input_order.size)),
            "input_order=2,0,2,1|2,0,4,1|2,0,-1,1",
        ),
    ],
    variants=[
        variant(
            "empty-axes",
            "an empty order reverses the dimensions",
            *({"arg": [3, 5, 2, 4, 6, 2, 3, 2][:rank], "input_order": []} for rank in range(9)),
        ),
        variant(
            "permutation",
            "any permutation of the dimensions",
            *(
                {"arg": [3, 5, 2, 4][:rank], "input_order": order}
                for rank in (2, 3, 4)
                for order in permutations(range(rank))
            ),
        ),
        variant(
            "empty",
            "an axis of size 1 is moved past an empty one, which a reshape cannot say by 0",
            {"arg": [0, 1], "input_order": [1, 0]},
            {"arg": [1, 0, 2], "input_order": [1, 2, 0]},
            {"arg": [0, 1, 1, 1], "input_order": [2, 0, 3, 1]},
            may_be_empty=True,
        ),
        *variants("""
            blocks: kernels of their own move 2, 4, 8 or 16 elements at once
                arg=[2,4,6]|[2,8,8]|[2,64,32]; input_order=0,2,1
                arg=[2,16,8,24]|[2,3,32,32]; input_order=0,2,3,1|0,3,1,2|0,1,3,2|0,2,1,3
        """),
    ],
)

# No order is its own inverse where the rank allows one, so that an inverted order shows.
ORDERS = ["", "0", "10", "201", "2031", "30412", "420513", "3605142", "52704613"]


@Transpose.plain
def plain(rank=4):
    return {"arg": [3, 5, 2, 4, 6, 2, 3, 1][:rank], "input_order": list(map(int, ORDERS[rank]))}


@Transpose.random
def layer(draw):
    rank = draw.integer(0, 7)
    order = [] if draw.integer(0, 9) == 0 else draw.permutation(rank)
    return {"arg": draw.shape(rank, most=5 if rank < 5 else 3), "input_order": order}
