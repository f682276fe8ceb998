"""Tile (page Tile-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import require_rank


@implements("Tile-1")
def tile(data: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Repeat ``data`` ``repeats[i]`` times along each dimension i.

    data [d_0, ...], repeats [n] -> [d_0 * repeats[0], ...]; the shorter of both gets leading ones.
    Raises ValueError where repeats is not one-dimensional or negative.
    """
    require_rank(repeats, (1,), "Tile-1: repeats")
    counts = repeats.tolist()
    if min(counts, default=0) < 0:
        raise ValueError(f"Tile-1: repeats must not be negative, got {counts}")
    rank = max(data.ndim, len(counts))
    data = data.reshape((1,) * (rank - data.ndim) + data.shape)
    for axis, count in enumerate(counts, rank - len(counts)):
        data = np.concatenate([data] * count, axis) if count else data.take([], axis)
    return data.copy()
