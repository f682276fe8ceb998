"""SpaceToDepth: blocks of the spatial dimensions move into the depth (page SpaceToDepth-1)."""

from ir_models.declaration import *
from ir_models.families.blocks import depth_blocks


def drawn(draw, block_size):
    spatial = [block_size * draw.integer(1, 3) for _ in range(draw.integer(1, 3))]
    if block_size < 3 and draw.boolean():
        spatial.append(block_size)
    return [draw.integer(1, 4), draw.integer(1, 5), *spatial]


SpaceToDepth = depth_blocks(
    "SpaceToDepth-1",
    plain=lambda rank: [3, 5, 4, 6, 2, 8, 2, 4][:rank],
    drawn=drawn,
    example=example("data=f32[5,7,4,6]; block_size=2; mode=blocks_first", output=[5, 28, 2, 3]),
    rule=rule(
        "block_size divides every spatial dimension",
        lambda layer: all(d % layer.block_size == 0 for d in layer.data.shape[2:]),
        ["data=[3,5,4,7]|[3,5,3,6]", "block_size=3"],
    ),
    any_rank="[2,5,6]|[2,3,4,6,8]",
    any_size={1: "[2,3,4,5]", 3: "[2,4,3,9]|[2,3,9,6]", 4: "[2,3,8,4]", 5: "[2,3,5,10]"},
)
