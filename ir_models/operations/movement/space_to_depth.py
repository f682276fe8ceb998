"""SpaceToDepth: blocks of the spatial dimensions move into the depth (page SpaceToDepth-1)."""

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, f32, types

T = types("T", ANY)

SpaceToDepth = Operation(
    "SpaceToDepth-1",
    opset="opset1",
    inputs=[Input("data", T, at_least(3))],
    outputs=[Output("y", T)],
    attributes=[
        Attribute("block_size", int, default=1, least=1),
        Attribute("mode", ("blocks_first", "depth_first"), required=True),
    ],
    examples=[
        example(
            data=f32[5, 7, 4, 6],
            block_size=2,
            mode="blocks_first",
            output=[5, 28, 2, 3],
            ports=[0, 1],
        )
    ],
    variants={
        "depth-first": [
            {"data": [2, 5, 6], "mode": "depth_first"},
            {"data": [2, 3, 4, 6, 8], "mode": "depth_first"},
            {"data": [2, 3, 9, 6], "block_size": 3, "mode": "depth_first"},
        ],
        "block-size": [
            {"data": [2, 3, 4, 5], "block_size": 1},
            {"data": [2, 4, 3, 9], "block_size": 3},
            {"data": [2, 3, 8, 4], "block_size": 4},
            {"data": [2, 3, 5, 10], "block_size": 5},
        ],
    },
)


@SpaceToDepth.plain
def plain(rank=4):
    shape = [3, 5, 4, 6, 2, 8, 2, 4]
    return {"data": shape[:rank], "block_size": 2, "mode": "blocks_first"}


@SpaceToDepth.random
def layer(draw):
    block_size = draw.integer(1, 4)
    spatial = [block_size * draw.integer(1, 3) for _ in range(draw.integer(1, 3))]
    if block_size < 3 and draw.boolean():
        spatial.append(block_size)
    return {
        "data": [draw.integer(1, 4), draw.integer(1, 5), *spatial],
        # Left out now and then; that it may be is a purpose of its own.
        "block_size": None if block_size == 1 and draw.integer(0, 9) == 0 else block_size,
        "mode": draw.choice(["blocks_first", "depth_first"]),
    }


@SpaceToDepth.rule(
    "block_size divides every spatial dimension",
    broken=[{"data": [3, 5, 4, 7]}, {"data": [3, 5, 3, 6]}, {"block_size": 3}],
)
def divides(layer):
    return all(d % layer.block_size == 0 for d in layer.data.shape[2:])
