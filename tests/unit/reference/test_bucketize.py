"""Bucketize-3: buckets by hand."""

import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare
from reference.condition.bucketize import bucketize

BOUNDARIES = np.array([0, 5, 10])


def test_the_example_of_the_page():
    found = bucketize(np.array([[3, 50], [10, -1]]), BOUNDARIES)
    assert found.dtype == np.int64
    assert found.tolist() == [[1, 3], [2, 0]]


@pytest.mark.parametrize("kind", [np.float32, np.int8, ml_dtypes.int4, ml_dtypes.bfloat16])
@pytest.mark.parametrize(("right", "buckets"), [(True, [0, 0, 1, 1, 2]), (False, [0, 1, 1, 2, 2])])
def test_a_boundary_belongs_to_one_of_its_buckets(kind, right, buckets):
    data = np.array([-1, 0, 4, 5, 6], kind)
    found = bucketize(data, BOUNDARIES, output_type="i32", with_right_bound=right)
    assert found.dtype == np.int32
    assert found.tolist() == buckets


def test_types_may_differ_and_compare_exactly():
    large = np.array([2**53 + 1, 2**53], np.int64)
    assert bucketize(large, np.array([2.0**53])).tolist() == [1, 0]
    assert bucketize(np.array([2.0**53]), large[:1]).tolist() == [0]
    assert bucketize(np.array([2**64 - 1], np.uint64), np.array([-1, 3], np.int8)).tolist() == [2]


def test_no_boundaries_scalars_and_infinities():
    assert bucketize(np.array([1.5, -np.inf]), np.zeros(0)).tolist() == [0, 0]
    scalar = bucketize(np.array(7.0), BOUNDARIES)
    assert (scalar.shape, scalar.tolist()) == ((), 2)
    assert bucketize(np.array([np.inf, -np.inf]), BOUNDARIES).tolist() == [3, 0]


def test_the_bucket_of_nan_is_open():
    (right,) = answer("Bucketize-3", [np.array([np.nan, 3.0], np.float32), BOUNDARIES], {}, ["i64"])
    assert compare(right, np.array([3, 1])).wrong == 0
    assert compare(right, np.array([0, 2])).wrong == 1


def test_boundaries_ascend():
    for boundaries in ([0, 2, 1], [0, 1, 1], [[0], [1]]):
        with pytest.raises(ValueError, match="boundaries must be a sorted list"):
            bucketize(np.zeros(2), np.array(boundaries))


def test_boundaries_that_a_precision_cannot_tell_apart_are_no_reading() -> None:
    """The page has no answer for boundaries that f32 makes equal: what a device that rounds them says is wrong."""
    data, buckets = np.array([1.0, 1 + 2**-52, 2.0]), np.array([1.0, 1 + 2**-52])
    [expected] = answer("Bucketize-3", [data, buckets], {}, ["i64"], "f32", by_kernel=True)
    assert expected.value.tolist() == [0, 1, 2]
    assert expected.others == ()
