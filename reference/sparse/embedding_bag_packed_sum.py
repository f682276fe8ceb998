"""EmbeddingBagPackedSum (page EmbeddingBagPackedSum-3)."""

import numpy as np

from reference import implements
from reference.shared.embeddings import bounds
from reference.sparse.embedding_bag_packed import bags, embedding_bag_packed


@implements("EmbeddingBagPackedSum-3", accuracy=bounds(bags))
def embedding_bag_packed_sum(
    emb_table: np.ndarray, indices: np.ndarray, per_sample_weights: np.ndarray | None = None
) -> np.ndarray:
    """EmbeddingBagPacked-15 with the reduction sum. Raises ValueError as it does."""
    return embedding_bag_packed(emb_table, indices, per_sample_weights)
