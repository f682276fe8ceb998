"""EmbeddingSegmentsSum: sums of embeddings by the segment of each index (page EmbeddingSegmentsSum-3)."""

from ir_models.families.embeddings import bags, listed

EmbeddingSegmentsSum = bags(
    "EmbeddingSegmentsSum-3",
    "opset3",
    by="segments",
    examples=listed(
        "indices=i64:[0,2,3,4]; segment_ids=0,0,2,2; num_segments=3; default_index=0; "
        "per_sample_weights=f32:[0.5,0.5,0.5,0.5]",
        "[[-1.05,-1.2],[-0.2,-0.6],[-0.1,0.4]]",
    ),
)
