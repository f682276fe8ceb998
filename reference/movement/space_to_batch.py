"""SpaceToBatch (page SpaceToBatch-2)."""

from __future__ import annotations

import numpy as np

from reference import implements


@implements("SpaceToBatch-2")
def space_to_batch(
    data: np.ndarray, block_shape: np.ndarray, pads_begin: np.ndarray, pads_end: np.ndarray
) -> np.ndarray:
    """Move blocks of the zero-padded spatial dimensions into the batch.

    data [batch, D_1, ..., D_N-1]; block_shape, pads_begin and pads_end [N] ->
    [batch * B_1 * ... * B_N-1, (D_1 + P_1) / B_1, ..., (D_N-1 + P_N-1) / B_N-1] with P = pads_begin + pads_end.
    Raises ValueError where a block does not divide its padded dimension or the batch has a block or padding.
    """
    rank = data.ndim
    if rank < 2:
        raise ValueError(f"SpaceToBatch-2: data must have rank 2 or more, got {rank}")
    block = [int(b) for b in block_shape]
    begin, end = [int(p) for p in pads_begin], [int(p) for p in pads_end]
    for name, given in (("block_shape", block), ("pads_begin", begin), ("pads_end", end)):
        if len(given) != rank:
            raise ValueError(f"SpaceToBatch-2: {name} must have {rank} elements, got {len(given)}")
    if block[0] != 1:
        raise ValueError(f"SpaceToBatch-2: block_shape[0] must be 1, got {block[0]}")
    if min(block) < 1:
        raise ValueError(f"SpaceToBatch-2: block_shape must be 1 or more, got {block}")
    if min(begin + end) < 0:
        raise ValueError(f"SpaceToBatch-2: paddings must not be negative, got {begin} and {end}")
    if begin[0] or end[0]:
        raise ValueError(
            f"SpaceToBatch-2: the batch must not be padded, got {begin[0]} and {end[0]}"
        )
    padded = np.pad(data, list(zip(begin, end, strict=True)))
    for axis, (size, b) in enumerate(zip(padded.shape, block, strict=True)):
        if size % b:
            raise ValueError(
                f"SpaceToBatch-2: block_shape[{axis}] = {b} must divide the padded dimension {size}"
            )
    batch, *spatial = padded.shape
    grid = [size // b for size, b in zip(spatial, block[1:], strict=True)]
    split = [batch]
    for count, b in zip(grid, block[1:], strict=True):
        split += [count, b]
    # Blocks first, each in the order of its axis, then the batch, then the grid.
    order = [*range(2, 2 * rank, 2), 0, *range(1, 2 * rank - 1, 2)]
    blocks = padded.reshape(split).transpose(order)
    return blocks.reshape([batch * int(np.prod(block)), *grid])
