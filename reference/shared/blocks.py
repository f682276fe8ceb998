"""Blocks of the spatial dimensions that are moved into another dimension, or out of it."""

from __future__ import annotations

import numpy as np

from reference.shared.checks import require_length, require_rank_from


def checked_block_size(name: str, data: np.ndarray, block_size: int) -> None:
    """The rules that SpaceToDepth and DepthToSpace share. Raises ValueError."""
    require_rank_from(data, 3, f"{name}: data")
    if block_size < 1:
        raise ValueError(f"{name}: block_size must be 1 or more, got {block_size}")


def checked_blocks(
    name: str, data: np.ndarray, block_shape: np.ndarray, **ends: np.ndarray
) -> list[list[int]]:
    """block_shape and two ``ends`` (pads or crops at the begin and at the end) as lists of one length, data's rank.

    The rules are those that SpaceToBatch and BatchToSpace share. Raises ValueError.
    """
    require_rank_from(data, 2, f"{name}: data")
    for key, given in {"block_shape": block_shape, **ends}.items():
        require_length(given, data.ndim, f"{name}: {key}")
    block = [int(size) for size in block_shape]
    if block[0] != 1:
        raise ValueError(f"{name}: block_shape[0] must be 1, got {block[0]}")
    if min(block) < 1:
        raise ValueError(f"{name}: block_shape must be 1 or more, got {block}")
    found = {key: [int(size) for size in given] for key, given in ends.items()}
    for key, sizes in found.items():
        if min(sizes) < 0 or sizes[0]:
            raise ValueError(
                f"{name}: {key} must be 0 for the batch, and not negative, got {sizes}"
            )
    return [block, *found.values()]
