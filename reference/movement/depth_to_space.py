"""DepthToSpace (page DepthToSpace-1)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.blocks import checked_block_size


@implements("DepthToSpace-1")
def depth_to_space(
    data: np.ndarray, *, block_size: int = 1, mode: Literal["blocks_first", "depth_first"]
) -> np.ndarray:
    """Move the depth into blocks of the spatial dimensions.

    data [N, C, D1, ..., DK] -> [N, C / block_size^K, D1 * block_size, ..., DK * block_size]. ``mode``: in the old depth
    ``blocks_first`` has the position in the block before the new depth, ``depth_first`` after it.
    """
    checked_block_size("DepthToSpace-1", data, block_size)
    n, c, *spatial = data.shape
    k = len(spatial)
    if c % block_size**k:
        raise ValueError(f"DepthToSpace-1: block_size^{k} = {block_size**k} must divide depth {c}")
    depth, block = c // block_size**k, [block_size] * k
    if mode == "blocks_first":
        split, depth_axis, first_block = [n, *block, depth, *spatial], k + 1, 1
    else:
        split, depth_axis, first_block = [n, depth, *block, *spatial], 1, 2
    order = [0, depth_axis]
    for axis in range(k):
        order += [k + 2 + axis, first_block + axis]
    moved = data.reshape(split).transpose(order)
    return moved.reshape([n, depth, *(size * block_size for size in spatial)])
