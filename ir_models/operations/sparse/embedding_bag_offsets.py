"""EmbeddingBagOffsets: sums or means of bags of embeddings that begin at offsets (page EmbeddingBagOffsets-15)."""

from ir_models.families.embeddings import bags, listed

GIVEN = "indices=i64:[0,2,3,4]; offsets=0,2,2"

EmbeddingBagOffsets = bags(
    "EmbeddingBagOffsets-15",
    "opset15",
    by="offsets",
    reduces=True,
    examples=[
        *listed(
            f"{GIVEN}; default_index=0; per_sample_weights=f32:[0.5,0.5,0.5,0.5]; reduction=sum",
            "[[-1.05,-1.2],[-0.2,-0.6],[-0.1,0.4]]",
        ),
        *listed(
            f"{GIVEN}; default_index=-1; per_sample_weights=f32:[0.5,0.2,-2.0,1.0]; reduction=sum",
            "[[-0.48,-0.66],[0,0],[2.8,-3.7]]",
        ),
        *listed(f"{GIVEN}; reduction=mean", "[[-1.05,-1.2],[0,0],[-0.1,0.4]]"),
    ],
)
