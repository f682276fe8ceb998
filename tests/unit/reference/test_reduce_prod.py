"""ReduceProd-1: products by hand."""

import numpy as np

from reference.reduction.reduce_prod import reduce_prod

DATA = np.array([[[1.0, 2.0], [3.0, -4.0]], [[0.5, 1.0], [2.0, 0.25]]], np.float32)


def test_products():
    assert reduce_prod(DATA, np.array([2])).tolist() == [[2, -12], [0.5, 0.5]]
    assert reduce_prod(DATA, np.array([-3])).tolist() == [[0.5, 2], [6, -1]]
    assert reduce_prod(DATA, np.array([0, 1, 2])).tolist() == -6
    assert reduce_prod(DATA, np.array(1), keep_dims=True).tolist() == [[[3, -8]], [[1, 0.25]]]


def test_no_axes_and_no_factors():
    assert reduce_prod(DATA, np.array([], np.int64)).tolist() == DATA.tolist()
    assert reduce_prod(np.zeros((2, 0)), np.array([1])).tolist() == [1, 1]


def test_integers_wrap_in_their_type():
    found = reduce_prod(np.array([16, 17], np.uint8), np.array([0]))
    assert found.dtype == np.uint8
    assert found.tolist() == 16
    assert reduce_prod(np.array([3**20, 3**19], np.int64), np.array(0)).tolist() == 3**39
