"""Tile (page Tile-1)."""

import numpy as np

from reference import implements


@implements("Tile-1")
def tile(data: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Repeat ``data`` ``repeats[i]`` times along each dimension i.

    data [d_0, ...], repeats [n] -> [d_0 * repeats[0], ...]; the shorter of both gets leading ones.
    Raises ValueError where repeats is not one-dimensional or negative.
    """
    if repeats.ndim != 1:
        raise ValueError(f"Tile-1: repeats must have rank 1, got {repeats.ndim}")
    counts = [int(count) for count in repeats]
    if min(counts, default=0) < 0:
        raise ValueError(f"Tile-1: repeats must not be negative, got {counts}")
    rank = max(data.ndim, len(counts))
    data = data.reshape((1,) * (rank - data.ndim) + data.shape)
    for axis, count in enumerate(counts, rank - len(counts)):
        data = np.concatenate([data] * count, axis) if count else data.take([], axis)
    return data.copy()
