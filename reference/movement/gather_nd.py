"""GatherND (pages GatherND-5 and GatherND-8)."""

import math

import numpy as np

from reference import implements
from reference.shared.checks import flat_positions, require_same_batches


@implements("GatherND-8")
def gather_nd_8(data: np.ndarray, indices: np.ndarray, *, batch_dims: int = 0) -> np.ndarray:
    """For each tuple of indices the element or slice of data at that position.

    data [B..., D_1, ..., D_k, S...] and indices [B..., I..., k] -> [B..., I..., S...], B the first ``batch_dims``
    dimensions, which both have in common. A negative index counts from the end of its dimension. Raises ValueError
    where batches differ, tuples are longer than data has dimensions, or an index is out of range.
    """
    return _gather_nd("GatherND-8", data, indices, batch_dims, negative=True)


@implements("GatherND-5")
def gather_nd_5(data: np.ndarray, indices: np.ndarray, *, batch_dims: int = 0) -> np.ndarray:
    """Like GatherND-8, but the batch dimensions of the output are joined: [product of B, I..., S...].

    Negative indices are out of range.
    """
    output = _gather_nd("GatherND-5", data, indices, batch_dims, negative=False)
    if batch_dims == 0:
        return output
    batch = math.prod(output.shape[:batch_dims])
    return output.reshape([batch, *output.shape[batch_dims:]])


def _gather_nd(
    name: str, data: np.ndarray, indices: np.ndarray, batch_dims: int, *, negative: bool
) -> np.ndarray:
    b, least_rank = batch_dims, min(data.ndim, indices.ndim)
    if least_rank < 1:
        raise ValueError(f"{name}: data and indices must have rank 1 or more, got a scalar")
    if not 0 <= b < least_rank:
        raise ValueError(f"{name}: batch_dims must be in [0, {least_rank}), got {b}")
    batch = data.shape[:b]
    require_same_batches(name, data, indices, b)
    k = indices.shape[-1]
    if b + k > data.ndim:
        most = data.ndim - b
        raise ValueError(f"{name}: tuples of indices must have at most {most} items, got {k}")
    block = math.prod(data.shape[b : b + k])
    # The position of each tuple within its batch, then that in the data of all batches together.
    flat = flat_positions(indices, data.shape[b : b + k], f"{name}: indices", negative)
    numbers = np.arange(math.prod(batch)).reshape(batch + (1,) * (flat.ndim - b))
    slices = data.reshape([math.prod(batch) * block, *data.shape[b + k :]])
    return slices[numbers * block + flat]
