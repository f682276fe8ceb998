"""CumSum-3: the page's examples, and axes."""

import numpy as np
import pytest

from reference.arithmetic.cum_sum import cum_sum

DATA = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)


@pytest.mark.parametrize(
    ("exclusive", "reverse", "sums"),
    [
        (False, False, [1, 3, 6, 10, 15]),
        (True, False, [0, 1, 3, 6, 10]),
        (False, True, [15, 14, 12, 9, 5]),
        (True, True, [14, 12, 9, 5, 0]),
    ],
)
def test_examples_of_the_page(exclusive, reverse, sums):
    found = cum_sum(DATA, np.array(0), exclusive=exclusive, reverse=reverse)
    assert found.tolist() == sums
    assert cum_sum(DATA, exclusive=exclusive, reverse=reverse).tolist() == sums


def test_axes():
    data = np.array([[1, 2, 3], [10, 20, 30]], np.int32)
    assert cum_sum(data, np.array(0)).tolist() == [[1, 2, 3], [11, 22, 33]]
    assert cum_sum(data, np.array(-1)).tolist() == [[1, 3, 6], [10, 30, 60]]
    assert cum_sum(data, np.array(1), reverse=True).tolist() == [[6, 5, 3], [60, 50, 30]]


def test_integers_wrap_in_their_type():
    found = cum_sum(np.array([100, 100, 100], np.int8), np.array(0))
    assert found.dtype == np.int8
    assert found.tolist() == [100, -56, 44]


def test_empty_dimensions():
    assert cum_sum(np.zeros((2, 0)), np.array(1), exclusive=True).shape == (2, 0)
