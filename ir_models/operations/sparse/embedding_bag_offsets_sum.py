"""EmbeddingBagOffsetsSum: sums of bags of embeddings that begin at offsets (page EmbeddingBagOffsetsSum-3)."""

from ir_models.families.embeddings import bags, listed

GIVEN = "indices=i64:[0,2,3,4]; offsets=0,2,2; per_sample_weights=f32:[0.5,0.5,0.5,0.5]"

EmbeddingBagOffsetsSum = bags(
    "EmbeddingBagOffsetsSum-3",
    "opset3",
    by="offsets",
    examples=[
        *listed(f"{GIVEN}; default_index=0", "[[-1.05,-1.2],[-0.2,-0.6],[-0.1,0.4]]"),
        *listed(
            f"{GIVEN}; default_index=-1",
            "[[-1.05,-1.2],[0,0],[-0.1,0.4]]",
            "the type printed is that of EmbeddingBagOffsets",
        ),
    ],
)
