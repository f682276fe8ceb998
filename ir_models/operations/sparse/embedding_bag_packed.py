"""EmbeddingBagPacked: sums or means of bags of embeddings, the rows of indices (page EmbeddingBagPacked-15)."""

from ir_models.families.embeddings import bags, listed

GIVEN = "indices=i64:[[0,2],[1,2],[3,4]]"

EmbeddingBagPacked = bags(
    "EmbeddingBagPacked-15",
    "opset15",
    by="rows",
    reduces=True,
    examples=[
        *listed(f"{GIVEN}; reduction=sum", "[[-2.1,-2.4],[-2,-2.2],[-0.2,0.8]]"),
        *listed(
            f"{GIVEN}; per_sample_weights=f32:[[0.5,0.5],[0.3,0.7],[2.0,-1.0]]; reduction=sum",
            "[[-1.05,-1.2],[-1.36,-1.38],[-2.8,3.7]]",
        ),
        *listed(f"{GIVEN}; reduction=mean", "[[-1.05,-1.2],[-1,-1.1],[-0.1,0.4]]"),
    ],
)
