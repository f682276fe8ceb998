"""Divide-1: both kinds of division of integers, by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.arithmetic.divide import divide

A = [7, 7, -7, -7, 6, -6, 0, 1, -1]
B = [2, -2, 2, -2, 3, 3, 5, 9, 9]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integers(dtype):
    a, b = np.array(A, dtype), np.array(B, dtype)
    floor = divide(a, b)
    assert floor.dtype == dtype
    assert floor.tolist() == [3, -4, -4, 3, 2, -2, 0, 0, -1]
    assert divide(a, b, m_pythondiv=False).tolist() == [3, -3, -3, 3, 2, -2, 0, 0, 0]


def test_unsigned_and_large_integers():
    large = np.array([2**64 - 1], np.uint64)
    assert divide(large, np.array([10], np.uint64)).tolist() == [(2**64 - 1) // 10]
    assert divide(large, np.array([10], np.uint64), m_pythondiv=False).tolist() == [
        (2**64 - 1) // 10
    ]
    least = np.array([-(2**63)], np.int64)
    assert divide(least, np.array([3], np.int64), m_pythondiv=False).tolist() == [
        -3074457345618258602
    ]


def test_reals_ignore_the_attribute():
    a, b = np.array([1.0, -7.0], np.float32), np.array([3.0, 2.0], np.float32)
    for floor in (True, False):
        assert divide(a, b, m_pythondiv=floor).tolist() == [1 / 3, -3.5]


def test_division_by_zero_is_left_open():
    a, b = np.array([1, 0, 4], np.int32), np.array([0, 0, 2], np.int32)
    (right,) = answer("Divide-1", [a, b], {})
    found = compare(right, np.array([77, -5, 2], np.int32))
    assert (found.wrong, found.coarse, found.open) == (0, 0, 2)
    (right,) = answer("Divide-1", [a.astype(np.float32), b.astype(np.float32)], {})
    assert compare(right, np.array([np.nan, 0, 2], np.float32)).wrong == 0
    assert compare(right, np.array([np.inf, np.nan, 2.1], np.float32)).wrong == 1
