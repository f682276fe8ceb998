"""EmbeddingBagPackedSum: sums of bags of embeddings, the rows of indices (page EmbeddingBagPackedSum-3)."""

from ir_models.families.embeddings import bags, listed

EmbeddingBagPackedSum = bags(
    "EmbeddingBagPackedSum-3",
    "opset3",
    by="rows",
    examples=listed(
        "indices=i64:[[0,2],[1,2],[3,4]]; per_sample_weights=f32:[[0.5,0.5],[0.5,0.5],[0.5,0.5]]",
        "[[-1.05,-1.2],[-1,-1.1],[-0.1,0.4]]",
    ),
)
