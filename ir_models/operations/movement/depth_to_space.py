"""DepthToSpace: the depth moves into blocks of the spatial dimensions (page DepthToSpace-1)."""

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, f32, types

T = types("T", ANY)

DepthToSpace = Operation(
    "DepthToSpace-1",
    opset="opset1",
    inputs=[Input("data", T, at_least(3))],
    outputs=[Output("y", T)],
    attributes=[
        Attribute("block_size", int, default=1, least=1),
        Attribute("mode", ("blocks_first", "depth_first"), required=True),
    ],
    examples=[
        example(
            data=f32[5, 28, 2, 3],
            block_size=2,
            mode="blocks_first",
            output=[5, 7, 4, 6],
            ports=[0, 1],
        )
    ],
    variants={
        "depth-first": [
            {"data": [2, 6, 5], "mode": "depth_first"},
            {"data": [2, 24, 3, 4, 5], "mode": "depth_first"},
            {"data": [2, 27, 4, 5], "block_size": 3, "mode": "depth_first"},
        ],
        "block-size": [
            {"data": [2, 3, 4, 5], "block_size": 1},
            {"data": [2, 18, 4, 5], "block_size": 3},
            {"data": [2, 48, 5, 4], "block_size": 4},
            {"data": [3, 25, 2, 4], "block_size": 5},
        ],
    },
)


@DepthToSpace.plain
def plain(rank=4):
    depth = 3 * 2 ** (rank - 2)
    return {"data": [2, depth, 4, 5, 1, 2, 1, 3][:rank], "block_size": 2, "mode": "blocks_first"}


@DepthToSpace.random
def layer(draw):
    block_size = draw.integer(1, 4)
    spatial = [draw.integer(1, 4) for _ in range(draw.integer(1, 3))]
    if block_size < 3 and draw.boolean():
        spatial.append(1)
    return {
        "data": [draw.integer(1, 4), draw.integer(1, 3) * block_size ** len(spatial), *spatial],
        # Left out now and then; that it may be is a purpose of its own.
        "block_size": None if block_size == 1 and draw.integer(0, 9) == 0 else block_size,
        "mode": draw.choice(["blocks_first", "depth_first"]),
    }


@DepthToSpace.rule(
    "block_size to the number of spatial dimensions divides the depth",
    broken=[{"data": [2, 10, 4, 5]}, {"data": [2, 2, 4, 5]}, {"block_size": 3}],
)
def divides(layer):
    return layer.data.shape[1] % layer.block_size ** (layer.data.rank - 2) == 0
