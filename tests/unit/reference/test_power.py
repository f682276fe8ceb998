"""Power-1: powers by hand, and what the page leaves open."""

import numpy as np
import pytest

from reference import answer, compare
from reference.arithmetic.power import power


def test_reals():
    a = np.array([2.0, 4.0, 10.0, -2.0, -2.0, 5.0], np.float32)
    b = np.array([3.0, 0.5, -2.0, 2.0, 3.0, 0.0], np.float32)
    assert power(a, b) == pytest.approx([8.0, 2.0, 0.01, 4.0, -8.0, 1.0])


def test_integers():
    a = np.array([2, -3, 7, 1, -1, -1, 5], np.int32)
    b = np.array([10, 3, 0, -4, -3, -2, -1], np.int32)
    found = power(a, b)
    assert found.dtype == np.int32
    assert found.tolist() == [1024, -27, 1, 1, -1, 1, 0]
    assert power(np.array([3], np.int64), np.array([39], np.int64)).tolist() == [3**39]


def test_broadcasting():
    squares = power(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0], [3.0]]))
    assert squares.tolist() == [[1.0, 4.0, 9.0], [1.0, 8.0, 27.0]]


@pytest.mark.parametrize(("a", "b"), [(-2.0, 0.5), (0.0, -1.0), (0.0, 0.0), (np.nan, 0.0)])
def test_what_the_page_leaves_open(a, b):
    (right,) = answer("Power-1", [np.array([a], np.float32), np.array([b], np.float32)], {})
    assert compare(right, np.array([123.0], np.float32)).wrong == 0


def test_what_it_does_not():
    a, b = np.array([-2.0, 0.0], np.float32), np.array([3.0, 2.0], np.float32)
    (right,) = answer("Power-1", [a, b], {})
    assert compare(right, np.array([8.0, 1.0], np.float32)).wrong == 2
    small = np.array([100], np.int8), np.array([2], np.int8)
    (right,) = answer("Power-1", small, {})
    assert compare(right, np.array([127], np.int8)).wrong == 0
