"""Tile: copies of data along each dimension (page Tile-1)."""

from ir_models.declaration import ANY_RANK, Index, Input, Operation, Output, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T1 = types("T1", ANY)
T2 = types("T2", INTEGERS)

Tile = Operation(
    "Tile-1",
    opset="opset1",
    inputs=[Input("data", T1, ANY_RANK), Index("repeats", T2)],
    outputs=[Output("y", T1)],
    examples=[
        example(data=f32[2, 3, 4], repeats=[1, 2, 3], output=[2, 6, 12], ports=[0, 1, 2]),
        example(data=f32[2, 3, 4], repeats=[5, 1, 2, 3], output=[5, 2, 6, 12], ports=[0, 1, 2]),
        example(data=f32[5, 2, 3, 4], repeats=[1, 2, 3], output=[5, 2, 6, 12], ports=[0, 1, 2]),
    ],
    variants={
        "more-repeats": [
            # The page's own sentence: (2, 3) and [2, 2, 2] give (2, 4, 6).
            {"data": [2, 3], "repeats": [2, 2, 2]},
            {"repeats": [3, 1, 2, 3, 1]},
            {"data": [3], "repeats": [2, 1, 3, 2]},
            {"data": [], "repeats": [3]},
            {"data": [], "repeats": [1, 2, 1]},
        ],
        "fewer-repeats": [
            # Likewise: (4, 2, 3) and [2, 2] give (4, 4, 6).
            {"data": [4, 2, 3], "repeats": [2, 2]},
            {"repeats": [2]},
            {"repeats": [3, 1]},
            {"repeats": [2, 3, 1]},
            {"data": [2, 5, 3, 4], "repeats": [2, 2, 3]},
        ],
        "empty-repeats": [{"repeats": []}, {"data": [], "repeats": []}],
        "one-axis": [
            {"data": [2, 3, 5, 4], "repeats": [3 if axis == i else 1 for i in range(4)]}
            for axis in range(4)
        ],
        "no-repeats": [{"repeats": [1, 1, 1, 1]}],
        "many-repeats": [
            {"data": [2, 3], "repeats": [1, 100]},
            {"data": [2, 3], "repeats": [100, 1]},
        ],
    },
)


@Tile.plain
def plain(rank=4):
    repeats = [1, 2, 3, 1, 2, 1, 1, 2]
    return {"data": [1, 4, 3, 2, 3, 1, 2, 2][:rank], "repeats": repeats[:rank]}


@Tile.random
def layer(draw):
    data = draw.shape(draw.integer(1, 5), most=4)
    repeats = draw.shape(draw.integer(0, 5), most=3)
    data[draw.integer(0, len(data) - 1)] += 1  # copies of one element would hide every fault
    return {"data": data, "repeats": repeats}


@Tile.rule(
    "repeats is not negative", broken=[{"repeats": [1, 2, -1, 1]}, {"repeats": [-2, -2, 3, 1]}]
)
def not_negative(layer):
    return min(layer.repeats.value, default=0) >= 0
