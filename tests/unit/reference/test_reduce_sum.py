"""ReduceSum-1: sums by hand over each kind of axes."""

import numpy as np
import pytest

from reference.reduction.reduce_sum import reduce_sum

DATA = np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2)


@pytest.mark.parametrize(
    ("axes", "sums"),
    [
        ([0], [[8, 10], [12, 14], [16, 18]]),
        ([1], [[9, 12], [27, 30]]),
        ([-1], [[3, 7, 11], [15, 19, 23]]),
        ([2, 0], [18, 26, 34]),
        ([0, 1, 2], 78),
    ],
)
def test_sums(axes, sums):
    found = reduce_sum(DATA, np.array(axes))
    assert found.tolist() == sums
    kept = reduce_sum(DATA, np.array(axes), keep_dims=True)
    assert kept.shape == tuple(
        1 if i in axes or i - 3 in axes else d for i, d in enumerate((2, 3, 2))
    )
    assert kept.reshape(found.shape).tolist() == sums


def test_a_scalar_is_one_axis_and_no_axes_change_nothing():
    assert reduce_sum(DATA, np.array(1)).tolist() == reduce_sum(DATA, np.array([1])).tolist()
    assert reduce_sum(DATA, np.array([], np.int64)).tolist() == DATA.tolist()


def test_integers_wrap_in_their_type():
    found = reduce_sum(np.array([100, 100], np.int8), np.array([0]))
    assert found.dtype == np.int8
    assert found.tolist() == -56
    assert reduce_sum(np.array([2**62, 2**61], np.int64), np.array(0)).tolist() == 2**62 + 2**61


def test_nothing_adds_up_to_zero():
    assert reduce_sum(np.zeros((3, 0)), np.array([1])).tolist() == [0, 0, 0]
