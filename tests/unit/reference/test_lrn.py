"""LRN: regions of squares by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.normalization.lrn import lrn

LINE = np.array([[1.0, 2.0, 3.0, 4.0]])


def asked(data=LINE, axes=(1,), alpha=3.0, beta=1.0, bias=2.0, size=3):
    return lrn(data, np.array(axes, np.int64), alpha=alpha, beta=beta, bias=bias, size=size)


def test_regions_end_where_data_end():
    # Sums of squares 5, 14, 29, 25; alpha / 3 is 1.
    assert asked().tolist() == [[1 / 7, 2 / 16, 3 / 31, 4 / 27]]


def test_the_base_is_raised_to_beta():
    assert asked(beta=0.5, bias=2.0)[0, 1] == 2 / 4
    assert asked(beta=2.0)[0, 1] == 2 / 256


def test_an_even_size_has_one_more():
    # Two elements on both sides, divided by 4: sums 14, 30, 30, 29.
    assert asked(size=4, alpha=4.0).tolist() == [[1 / 16, 2 / 32, 3 / 32, 4 / 31]]


def test_two_axes():
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    # alpha / 9 is 1; every region is all of the data: 1 + 4 + 9 + 16 + 2 = 32.
    assert asked(square, (1, 0), alpha=9.0).tolist() == [[1 / 32, 2 / 32], [3 / 32, 4 / 32]]


def test_no_axes():
    assert asked(axes=(), alpha=1.0).tolist() == [[1 / 3, 2 / 6, 3 / 11, 4 / 18]]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"axes": (2,)}, "LRN-1: axes must be in"),
        ({"axes": (1, 1)}, "LRN-1: axes must be different axes"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(**changes)


def test_overflowing_squares_are_no_errors_of_the_others():
    data = np.random.RandomState(1).uniform(1, 2, (2, 1000)).astype(np.float32)
    data[1] = 1e30
    attributes = {"alpha": 3.0, "beta": 1.0, "bias": 2.0, "size": 3}
    (expected,) = answer("LRN-1", [data, np.array([1])], attributes)
    actual = expected.value.astype(np.float32)
    actual[1] = 0
    found = compare(expected, actual)
    assert (found.wrong, found.statistic) == (0, "")
