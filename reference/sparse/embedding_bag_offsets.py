"""EmbeddingBagOffsets (page EmbeddingBagOffsets-15)."""

from itertools import pairwise
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.embeddings import Bags, bounds, reduced


def bags_from(offsets: np.ndarray, count: int, name: str) -> Bags:
    """The places from each offset to the next, or to ``count``. Raises ValueError where offsets fall or exceed it."""
    starts = [*map(int, offsets), count]
    if offsets.ndim != 1 or starts != sorted(starts) or starts[0] < 0:
        raise ValueError(f"{name}: offsets must be sorted, from 0 to {count}, got {offsets}")
    return [np.arange(start, end) for start, end in pairwise(starts)]


def bags(call: Call) -> Bags:
    """The bags of the call."""
    return bags_from(call.array(2), call.array(1).size, "EmbeddingBagOffsets")


@implements("EmbeddingBagOffsets-15", accuracy=bounds(bags))
def embedding_bag_offsets(
    emb_table: np.ndarray,
    indices: np.ndarray,
    offsets: np.ndarray,
    default_index: np.ndarray | None = None,
    per_sample_weights: np.ndarray | None = None,
    *,
    reduction: Literal["sum", "mean"] = "sum",
) -> np.ndarray:
    """The sum or mean of the rows of each bag -> [batch, *emb_dims]; of an empty bag the row of default_index, or 0.

    emb_table [num_emb, *emb_dims], indices [num_indices], offsets [batch]: a bag begins at its offset and ends before
    the next; a default_index of -1 is none. Raises ValueError for indices or offsets out of range, weights of another
    shape, and weights of a mean.
    """
    name = "EmbeddingBagOffsets-15"
    found = bags_from(offsets, indices.size, name)
    return reduced(
        name, emb_table, indices, found, per_sample_weights, default_index, reduction, no_default=-1
    )
