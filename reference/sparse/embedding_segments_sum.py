"""EmbeddingSegmentsSum (page EmbeddingSegmentsSum-3)."""

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.axes import require_rank
from reference.shared.checks import positions
from reference.shared.embeddings import Bags, bounds, reduced

_NAME = "EmbeddingSegmentsSum-3"


def bags(call: Call) -> Bags:
    """The places of each segment."""
    return [np.flatnonzero(call.array(2) == number) for number in range(int(call.array(3)))]


@implements("EmbeddingSegmentsSum-3", accuracy=bounds(bags))
def embedding_segments_sum(
    emb_table: np.ndarray,
    indices: np.ndarray,
    segment_ids: np.ndarray,
    num_segments: np.ndarray,
    default_index: np.ndarray | None = None,
    per_sample_weights: np.ndarray | None = None,
) -> np.ndarray:
    """The sums of the rows of each segment -> [num_segments, *emb_dims]; of an empty one that of default_index, or 0.

    emb_table [num_emb, *emb_dims], indices [num_indices], each in the segment that ``segment_ids`` names. Raises
    ValueError for indices out of range, segment_ids that are not sorted, and weights of another shape.
    """
    require_rank(num_segments, (0,), f"{_NAME}: num_segments")
    count = int(num_segments)
    if segment_ids.shape != indices.shape or np.any(np.diff(segment_ids) < 0):
        raise ValueError(f"{_NAME}: segment_ids must be sorted, one for each index")
    ids = positions(segment_ids, count, f"{_NAME}: segment_ids")
    found = [np.flatnonzero(ids == number) for number in range(count)]
    return reduced(_NAME, emb_table, indices, found, per_sample_weights, default_index)
