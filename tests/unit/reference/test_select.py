"""Select-1: choices by hand."""

import numpy as np
import pytest

from reference.condition.select import select

COND = np.array([[False, False], [True, False], [True, True]])
THEN = np.array([[-1, 0], [1, 2], [3, 4]], np.int8)
ELSE = np.array([[11, 10], [9, 8], [7, 6]], np.int8)


@pytest.mark.parametrize("mode", ["numpy", "none", "pdpd"])
def test_the_example_of_the_page(mode):
    found = select(COND, THEN, ELSE, auto_broadcast=mode)
    assert found.dtype == np.int8
    assert found.tolist() == [[11, 10], [1, 8], [3, 4]]


def test_then_and_else_broadcast_to_each_other_and_cond_to_both():
    found = select(np.array([True, False]), np.array([[1], [2]]), np.array([[7, 8]]))
    assert found.tolist() == [[1, 8], [2, 8]]
    assert select(np.array(False), np.array([1, 2]), np.array(5)).tolist() == [5, 5]


def test_pdpd_and_none():
    row = np.array([5, 6], np.int8)
    assert select(COND, THEN, row, auto_broadcast="pdpd").tolist() == [[5, 6], [1, 6], [3, 4]]
    with pytest.raises(ValueError, match="must be a part"):
        select(COND, row, THEN, auto_broadcast="pdpd")
    with pytest.raises(ValueError, match="must be the same"):
        select(COND, THEN, row, auto_broadcast="none")


def test_what_is_not_chosen_does_not_count():
    nan = np.array([np.nan, 1.0], np.float16)
    found = select(np.array([False, True]), nan, np.array([-0.0, np.inf], np.float16))
    assert found.tobytes() == np.array([-0.0, 1.0], np.float16).tobytes()


def test_a_cond_larger_than_then_and_else_is_answered():
    """The page forbids it; the formula has a meaning: all three in their common shape."""
    cond = np.array([[True, False], [False, True], [True, True]])
    found = select(cond, np.array([1, 2]), np.array(9))
    assert found.tolist() == [[1, 9], [9, 2], [1, 2]]
