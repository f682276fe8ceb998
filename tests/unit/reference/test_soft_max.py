"""SoftMax-8: shares by hand, along each axis."""

import numpy as np
import pytest

from reference import answer, compare
from reference.activation.soft_max import soft_max

DATA = np.log(np.array([[1.0, 2.0, 5.0], [4.0, 4.0, 8.0]]))


def test_shares():
    assert soft_max(DATA) == pytest.approx(np.array([[0.125, 0.25, 0.625], [0.25, 0.25, 0.5]]))
    assert soft_max(DATA, axis=-1) == pytest.approx(soft_max(DATA, axis=1))
    assert soft_max(DATA, axis=0) == pytest.approx(
        np.array([[1 / 5, 2 / 6, 5 / 13], [4 / 5, 4 / 6, 8 / 13]])
    )
    assert soft_max(DATA, axis=-2) == pytest.approx(soft_max(DATA, axis=0))


def test_large_numbers():
    assert soft_max(np.array([[1000.0, 1000.0]])).tolist() == [[0.5, 0.5]]
    assert soft_max(np.array([[-1e300, 0.0]])).tolist() == [[0.0, 1.0]]


def test_no_classes():
    assert soft_max(np.zeros((2, 0))).shape == (2, 0)


def test_infinite_numbers_are_left_open_and_nan_is_not():
    data = np.array([[np.inf, 0.0], [-np.inf, 0.0], [np.nan, 0.0]], np.float32)
    (right,) = answer("SoftMax-8", [data], {})
    came = np.array([[1.0, 0.0], [0.0, 1.0], [np.nan, np.nan]], np.float32)
    assert compare(right, came).wrong == 0
    came[2] = 0
    assert compare(right, came).wrong == 2
