"""EmbeddingBagOffsetsSum (page EmbeddingBagOffsetsSum-3)."""

import numpy as np

from reference import implements
from reference.shared.embeddings import bounds
from reference.sparse.embedding_bag_offsets import bags, embedding_bag_offsets


@implements("EmbeddingBagOffsetsSum-3", accuracy=bounds(bags))
def embedding_bag_offsets_sum(
    emb_table: np.ndarray,
    indices: np.ndarray,
    offsets: np.ndarray,
    default_index: np.ndarray | None = None,
    per_sample_weights: np.ndarray | None = None,
) -> np.ndarray:
    """EmbeddingBagOffsets-15 with the reduction sum. Raises ValueError as it does."""
    return embedding_bag_offsets(emb_table, indices, offsets, default_index, per_sample_weights)
