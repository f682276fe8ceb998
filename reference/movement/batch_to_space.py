"""BatchToSpace (page BatchToSpace-2)."""

from __future__ import annotations

import numpy as np

from reference import implements


@implements("BatchToSpace-2")
def batch_to_space(
    data: np.ndarray, block_shape: np.ndarray, crops_begin: np.ndarray, crops_end: np.ndarray
) -> np.ndarray:
    """Move the batch into blocks of the spatial dimensions, then crop these.

    data [batch, D_1, ..., D_N-1]; block_shape, crops_begin and crops_end [N] ->
    [batch / (B_1 * ... * B_N-1), D_1 * B_1 - C_1, ..., D_N-1 * B_N-1 - C_N-1] with C = crops_begin + crops_end.
    Raises ValueError where the blocks do not divide the batch, a crop is larger than its dimension, or the batch has a
    block or a crop.
    """
    rank = data.ndim
    if rank < 2:
        raise ValueError(f"BatchToSpace-2: data must have rank 2 or more, got {rank}")
    block = [int(b) for b in block_shape]
    begin, end = [int(c) for c in crops_begin], [int(c) for c in crops_end]
    for name, given in (("block_shape", block), ("crops_begin", begin), ("crops_end", end)):
        if len(given) != rank:
            raise ValueError(f"BatchToSpace-2: {name} must have {rank} elements, got {len(given)}")
    if block[0] != 1:
        raise ValueError(f"BatchToSpace-2: block_shape[0] must be 1, got {block[0]}")
    if min(block) < 1:
        raise ValueError(f"BatchToSpace-2: block_shape must be 1 or more, got {block}")
    if min(begin + end) < 0:
        raise ValueError(f"BatchToSpace-2: crops must not be negative, got {begin} and {end}")
    if begin[0] or end[0]:
        raise ValueError(
            f"BatchToSpace-2: the batch must not be cropped, got {begin[0]} and {end[0]}"
        )
    batch, *spatial = data.shape
    if batch % int(np.prod(block)):
        raise ValueError(f"BatchToSpace-2: the product of block_shape {block} must divide {batch}")
    batch //= int(np.prod(block))
    blocks = data.reshape([*block[1:], batch, *spatial])
    # The batch, then each spatial axis followed by its block.
    order = [rank - 1]
    for axis in range(rank - 1):
        order += [rank + axis, axis]
    full = blocks.transpose(order).reshape(
        [batch, *(d * b for d, b in zip(spatial, block[1:], strict=True))]
    )
    kept = []
    for axis, (size, first, last) in enumerate(zip(full.shape, begin, end, strict=True)):
        if first + last > size:
            raise ValueError(
                f"BatchToSpace-2: crops {first} + {last} must fit in dimension {axis} of {size}"
            )
        kept.append(slice(first, size - last))
    return full[tuple(kept)]
