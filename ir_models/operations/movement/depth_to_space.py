"""DepthToSpace: the depth moves into blocks of the spatial dimensions (page DepthToSpace-1)."""

from ir_models.declaration import *
from ir_models.families.blocks import depth_blocks


def drawn(draw, block_size):
    spatial = [draw.integer(1, 4) for _ in range(draw.integer(1, 3))]
    if block_size < 3 and draw.boolean():
        spatial.append(1)
    return [draw.integer(1, 4), draw.integer(1, 3) * block_size ** len(spatial), *spatial]


DepthToSpace = depth_blocks(
    "DepthToSpace-1",
    plain=lambda rank: [2, 3 * 2 ** (rank - 2), 4, 5, 1, 2, 1, 3][:rank],
    drawn=drawn,
    example=example("data=f32[5,28,2,3]; block_size=2; mode=blocks_first", output=[5, 7, 4, 6]),
    rule=rule(
        "block_size to the number of spatial dimensions divides the depth",
        lambda layer: layer.data.shape[1] % layer.block_size ** (layer.data.rank - 2) == 0,
        ["data=[2,10,4,5]|[2,2,4,5]", "block_size=3"],
    ),
    any_rank="[2,6,5]|[2,24,3,4,5]",
    any_size={1: "[2,3,4,5]", 3: "[2,18,4,5]|[2,27,4,5]", 4: "[2,48,5,4]", 5: "[3,25,2,4]"},
)
