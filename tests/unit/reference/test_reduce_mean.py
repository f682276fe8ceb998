"""ReduceMean-1: means by hand."""

import numpy as np

from reference import answer, compare
from reference.reduction.reduce_mean import reduce_mean

DATA = np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2)


def test_means():
    assert reduce_mean(DATA, np.array([0])).tolist() == [[4, 5], [6, 7], [8, 9]]
    assert reduce_mean(DATA, np.array([-1, 0])).tolist() == [4.5, 6.5, 8.5]
    assert reduce_mean(DATA, np.array(1), keep_dims=True).tolist() == [[[3, 4]], [[9, 10]]]
    assert reduce_mean(DATA, np.array([], np.int32)).tolist() == DATA.tolist()


def test_means_of_integers_do_not_overflow():
    found = reduce_mean(np.array([100, 120, 127, 101], np.int8), np.array([0]))
    assert found.dtype == np.int8
    assert found.tolist() == 112
    large = np.array([2**63 - 1, 2**63 - 3], np.int64)
    assert reduce_mean(large, np.array([0])).tolist() == 2**63 - 2


def test_the_rounding_of_integers_is_left_open_by_one():
    data = np.array([[1, 2], [-1, -2], [2, 4]], np.int32)
    assert reduce_mean(data, np.array([1])).tolist() == [1, -1, 3]
    (right,) = answer("ReduceMean-1", [data, np.array([1])], {})
    assert compare(right, np.array([2, -2, 3], np.int32)).wrong == 0
    assert compare(right, np.array([1, -1, 2], np.int32)).wrong == 1


def test_the_mean_of_nothing_is_left_open():
    (right,) = answer("ReduceMean-1", [np.zeros((2, 0), np.float32), np.array([1])], {})
    assert compare(right, np.array([7.0, np.nan], np.float32)).wrong == 0
