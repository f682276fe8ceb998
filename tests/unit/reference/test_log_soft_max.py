"""LogSoftmax: logarithms of softmax, by hand and by its definition."""

import math

import numpy as np

from reference import answer
from reference.activation.log_soft_max import log_softmax

POWERS = np.log([[1.0, 2.0, 5.0], [4.0, 1.0, 3.0]])


def test_by_hand():
    expected = [[1 / 8, 2 / 8, 5 / 8], [4 / 8, 1 / 8, 3 / 8]]
    np.testing.assert_allclose(log_softmax(POWERS), np.log(expected), rtol=1e-14)


def test_axis():
    expected = np.log([[1 / 5, 2 / 3, 5 / 8], [4 / 5, 1 / 3, 3 / 8]])
    for axis in (0, -2):
        np.testing.assert_allclose(log_softmax(POWERS, axis=axis), expected, rtol=1e-14)


def test_a_single_class_is_certain():
    assert log_softmax(np.array([[3.0], [-1.0]])).tolist() == [[0], [0]]


def test_large_numbers_neither_overflow_nor_vanish():
    found = log_softmax(np.array([[1000.0, 0.0, 1000.0]], np.float32))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[-math.log(2), -1000 - math.log(2), -math.log(2)]])


def test_powers_of_the_result_add_up_to_one():
    data = np.random.RandomState(7).standard_normal((3, 4, 5, 2)) * 20
    for axis in range(-4, 4):
        total = np.exp(log_softmax(data, axis=axis)).sum(axis=axis)
        np.testing.assert_allclose(total, np.ones_like(total), rtol=1e-13)


def test_infinities():
    # Nothing of the others is left; what becomes of +infinity the formulas of the page say differently.
    found = log_softmax(np.array([[-np.inf, 2.0]]))
    assert found.tolist() == [[-np.inf, 0]]
    data = np.array([[np.inf, 2.0], [1.0, -np.inf]], np.float32)
    right = answer("LogSoftmax-5", [data], {})[0]
    assert np.isposinf(right.bound).tolist() == [[True, True], [False, False]]
