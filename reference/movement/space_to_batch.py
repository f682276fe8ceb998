"""SpaceToBatch (page SpaceToBatch-2)."""

import numpy as np

from reference import implements
from reference.shared.blocks import checked_blocks


@implements("SpaceToBatch-2")
def space_to_batch(
    data: np.ndarray, block_shape: np.ndarray, pads_begin: np.ndarray, pads_end: np.ndarray
) -> np.ndarray:
    """Move blocks of the zero-padded spatial dimensions into the batch.

    data [batch, D_1, ..., D_N-1]; block_shape, pads_begin and pads_end [N] ->
    [batch * B_1 * ... * B_N-1, (D_1 + P_1) / B_1, ..., (D_N-1 + P_N-1) / B_N-1] with P = pads_begin + pads_end.
    Raises ValueError where a block does not divide its padded dimension or the batch has a block or padding.
    """
    block, begin, end = checked_blocks(
        "SpaceToBatch-2", data, block_shape, pads_begin=pads_begin, pads_end=pads_end
    )
    padded = np.pad(data, list(zip(begin, end, strict=True)))
    split = [len(padded)]
    for axis, (size, b) in enumerate(zip(padded.shape, block, strict=True)):
        if size % b:
            raise ValueError(
                f"SpaceToBatch-2: block_shape[{axis}] = {b} must divide the padded dimension {size}"
            )
        split += [size // b, b] if axis else []
    # Blocks first, each in the order of its axis, then the batch, then the grid.
    order = [*range(2, 2 * data.ndim, 2), 0, *range(1, 2 * data.ndim - 1, 2)]
    blocks = padded.reshape(split).transpose(order)
    return blocks.reshape([len(padded) * int(np.prod(block)), *split[1::2]])
