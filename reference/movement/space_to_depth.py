"""SpaceToDepth (page SpaceToDepth-1)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.blocks import checked_block_size


@implements("SpaceToDepth-1")
def space_to_depth(
    data: np.ndarray, *, block_size: int = 1, mode: Literal["blocks_first", "depth_first"]
) -> np.ndarray:
    """Move blocks of the spatial dimensions into the depth.

    data [N, C, D1, ..., DK] -> [N, C * block_size^K, D1 / block_size, ..., DK / block_size]. ``mode``: in the new depth
    ``blocks_first`` has the position in the block before the old depth, ``depth_first`` after it.
    """
    checked_block_size("SpaceToDepth-1", data, block_size)
    n, c, *spatial = data.shape
    k = len(spatial)
    split = [n, c]
    for size in spatial:
        if size % block_size:
            raise ValueError(f"SpaceToDepth-1: block_size {block_size} must divide {size}")
        split += [size // block_size, block_size]
    grid, block = range(2, 2 + 2 * k, 2), range(3, 3 + 2 * k, 2)
    order = [0, *block, 1, *grid] if mode == "blocks_first" else [0, 1, *block, *grid]
    moved = data.reshape(split).transpose(order)
    return moved.reshape([n, c * block_size**k, *split[2::2]])
