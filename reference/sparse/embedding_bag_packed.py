"""EmbeddingBagPacked (page EmbeddingBagPacked-15)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.embeddings import Bags, bounds, reduced


def bags(call: Call) -> Bags:
    """The rows of indices."""
    indices = call.array(1)
    return list(np.arange(indices.size).reshape(indices.shape))


@implements("EmbeddingBagPacked-15", accuracy=bounds(bags))
def embedding_bag_packed(
    emb_table: np.ndarray,
    indices: np.ndarray,
    per_sample_weights: np.ndarray | None = None,
    *,
    reduction: Literal["sum", "mean"] = "sum",
) -> np.ndarray:
    """The sum or mean of the rows of the table that each row of indices names -> [batch, *emb_dims].

    emb_table [num_emb, *emb_dims], indices [batch, indices_per_bag]. Raises ValueError for an index out of range,
    weights of another shape, and weights of a mean.
    """
    if indices.ndim != 2:
        raise ValueError("EmbeddingBagPacked-15: indices must be [batch, indices_per_bag]")
    found = list(np.arange(indices.size).reshape(indices.shape))
    name = "EmbeddingBagPacked-15"
    return reduced(name, emb_table, indices, found, per_sample_weights, reduction=reduction)
