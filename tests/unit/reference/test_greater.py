"""Greater-1: comparisons by hand."""

import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare
from reference.comparison.greater import greater


def test_numbers():
    found = greater(np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 5]]), auto_broadcast="none")
    assert found.dtype == bool
    assert found.tolist() == [[False, False], [True, False]]


def test_broadcasting():
    a, b = np.array([[3], [2]]), np.array([1, 2, 3])
    assert greater(a, b).tolist() == [[True, True, False], [True, False, False]]
    found = greater(np.array([[1, 2], [0, 5]]), np.array([0, 3]), auto_broadcast="pdpd")
    assert found.tolist() == [[True, False], [False, True]]
    with pytest.raises(ValueError, match="dimensions must be equal or 1"):
        greater(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="must be the same without broadcasting"):
        greater(np.zeros((2, 3)), np.zeros(3), auto_broadcast="none")


def test_zeros_and_infinities():
    a = np.array([-0.0, 0.0, -np.inf, np.inf, np.inf, 0.0], np.float32)
    b = np.array([0.0, -0.0, np.inf, -np.inf, np.inf, -1.0], np.float32)
    assert greater(a, b).tolist() == [False, False, False, True, False, True]


def test_neighbours_and_signs():
    assert greater(np.array([2**63 - 1, -1]), np.array([2**63 - 2, 1])).tolist() == [True, False]
    unsigned = np.array([2**64 - 1, 0], np.uint64)
    assert greater(unsigned, np.array([0, 2**64 - 1], np.uint64)).tolist() == [True, False]
    assert greater(np.array([1 + 2.0**-52]), np.array([1.0])).tolist() == [True]


@pytest.mark.parametrize("dtype", [bool, ml_dtypes.uint2, ml_dtypes.bfloat16])
def test_types(dtype):
    a, b = np.array([1, 0, 0], dtype), np.array([0, 1, 0], dtype)
    assert greater(a, b).tolist() == [True, False, False]


@pytest.mark.parametrize("actual", [True, False])
def test_the_page_does_not_order_nan(actual):
    a, b = np.array([[np.nan], [5.0]], np.float32), np.array([[np.nan, 4.0]], np.float32)
    (expected,) = answer("Greater-1", [a, b], {}, ["boolean"])
    assert compare(expected, np.array([[actual, actual], [actual, True]])).wrong == 0
    assert compare(expected, np.array([[actual, actual], [actual, False]])).wrong == 1
