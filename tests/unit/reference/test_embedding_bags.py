"""Bags of embeddings: the bags that the pages name, by hand; their printed values are examples."""

import ml_dtypes
import numpy as np
import pytest

from reference.sparse.embedding_bag_offsets import bags_from, embedding_bag_offsets
from reference.sparse.embedding_bag_offsets_sum import embedding_bag_offsets_sum
from reference.sparse.embedding_bag_packed import embedding_bag_packed
from reference.sparse.embedding_bag_packed_sum import embedding_bag_packed_sum
from reference.sparse.embedding_segments_sum import embedding_segments_sum

TABLE = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
INDICES = np.array([2, 0, 1, 1])


def test_bags_of_the_page():
    """Offsets 0, 3, 4, 4, 6 are bags of 3, 1, 0, 2 and of what is left."""
    assert [len(bag) for bag in bags_from(np.array([0, 3, 4, 4, 6]), 9, "X-1")] == [3, 1, 0, 2, 3]


def test_offsets():
    found = embedding_bag_offsets(TABLE, INDICES, np.array([0, 0, 3, 4]), np.array(1))
    assert found.tolist() == [[2, 20], [7, 70], [2, 20], [2, 20]]
    for default in (None, np.array(-1)):
        found = embedding_bag_offsets_sum(TABLE, INDICES, np.array([1, 4]), default)
        assert found.tolist() == [[5, 50], [0, 0]]


def test_weights_and_means():
    weights = np.array([2.0, 0.5, -1.0, 0.0])
    found = embedding_bag_offsets(TABLE, INDICES, np.array([0, 2]), None, weights)
    assert found.tolist() == [[8.5, 85], [-2, -20]]
    packed = embedding_bag_packed(TABLE, INDICES.reshape(2, 2), reduction="mean")
    assert packed.tolist() == [[2.5, 25], [2, 20]]
    packed = embedding_bag_packed_sum(TABLE, INDICES.reshape(2, 2), weights.reshape(2, 2))
    assert packed.tolist() == [[8.5, 85], [-2, -20]]


def test_segments():
    found = embedding_segments_sum(
        TABLE, INDICES, np.array([0, 0, 3, 3]), np.array(5), np.array(2), np.ones(4)
    )
    assert found.tolist() == [[5, 50], [4, 40], [4, 40], [4, 40], [4, 40]]


def test_integers_keep_their_type():
    found = embedding_bag_packed(
        np.array([[-3], [0]], np.int8), np.array([[0, 1]]), reduction="mean"
    )
    assert found.tolist() == [[-1]]
    assert found.dtype == np.int8


@pytest.mark.parametrize("kind", [np.int16, np.uint32, np.int64, np.uint64, ml_dtypes.int4])
def test_a_mean_fits_its_type_where_the_sum_does_not(kind):
    info = ml_dtypes.iinfo(kind)
    most = int(info.max)
    table = np.array([most, most - 1, info.min, info.min], kind)
    found = embedding_bag_offsets(
        table, np.array([0, 0, 1, 2, 3]), np.array([0, 3]), reduction="mean"
    )
    # (3 * most - 1) / 3, towards zero.
    assert found.astype(object).tolist() == [most - 1, info.min]
    assert found.dtype == kind


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"offsets": np.array([-1, 1])}, "offsets must be sorted"),
        ({"default_index": np.array([0])}, "default_index must have rank"),
    ],
)
def test_errors(change, told):
    given = {
        "table": TABLE,
        "indices": np.array([0, 1]),
        "offsets": np.array([0, 1]),
        "default_index": None,
        "weights": None,
        "reduction": "sum",
        **change,
    }
    *inputs, reduction = given.values()
    with pytest.raises(ValueError, match=f"EmbeddingBagOffsets-15: .*{told}"):
        embedding_bag_offsets(*inputs, reduction=reduction)


def test_errors_of_segments():
    with pytest.raises(ValueError, match="EmbeddingSegmentsSum-3: segment_ids must be"):
        embedding_segments_sum(TABLE, INDICES, np.array([0, 1, 0, 1]), np.array(5))


def test_errors_of_packed_bags():
    with pytest.raises(ValueError, match="EmbeddingBagPacked-15: indices must be"):
        embedding_bag_packed(TABLE, INDICES)
