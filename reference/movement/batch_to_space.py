"""BatchToSpace (page BatchToSpace-2)."""

import numpy as np

from reference import implements
from reference.shared.blocks import checked_blocks


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
    block, begin, end = checked_blocks(
        "BatchToSpace-2", data, block_shape, crops_begin=crops_begin, crops_end=crops_end
    )
    batch, *spatial = data.shape
    if batch % int(np.prod(block)):
        raise ValueError(f"BatchToSpace-2: the product of block_shape {block} must divide {batch}")
    batch //= int(np.prod(block))
    blocks = data.reshape([*block[1:], batch, *spatial])
    # The batch, then each spatial axis followed by its block.
    order = [data.ndim - 1]
    for axis in range(data.ndim - 1):
        order += [data.ndim + axis, axis]
    sizes = [d * b for d, b in zip(spatial, block[1:], strict=True)]
    full = blocks.transpose(order).reshape([batch, *sizes])
    kept = []
    for axis, (size, first, last) in enumerate(zip(full.shape, begin, end, strict=True)):
        if first + last > size:
            raise ValueError(
                f"BatchToSpace-2: crops {first} + {last} must fit in dimension {axis} of {size}"
            )
        kept.append(slice(first, size - last))
    return full[tuple(kept)]
