"""Erf-1: values of published tables."""

import numpy as np
import pytest

from reference import answer, compare
from reference.arithmetic.erf import erf


def test_values():
    x = np.array([0.0, 0.5, 1.0, -1.0, 2.0, 6.0], np.float32)
    table = [0.0, 0.5204998778, 0.8427007929, -0.8427007929, 0.9953222650, 1.0]
    assert erf(x) == pytest.approx(table, abs=1e-10)


def test_small_arguments_keep_their_digits():
    x = np.array([1e-12])
    assert erf(x) == pytest.approx(2 / np.sqrt(np.pi) * x, rel=1e-15)


def test_shapes_and_integers():
    assert erf(np.zeros((2, 0, 3), np.float16)).shape == (2, 0, 3)
    assert erf(np.array(0.0)).shape == ()
    found = erf(np.array([-3, 0, 1], np.int8))
    assert found.dtype == np.int8
    assert found.tolist() == [-1, 0, 1]


def test_the_rounding_of_integers_is_left_open():
    (right,) = answer("Erf-1", [np.array([1, 0, -2], np.int32)], {})
    for came, wrong in (([0, 0, 0], 0), ([1, 0, -1], 0), ([1, 1, -1], 1), ([-1, 0, 1], 2)):
        outputs = [np.array(came, np.int32)]
        assert compare(right.chosen(outputs), outputs[0]).wrong == wrong


def test_the_erf_of_large_integers_is_the_sign():
    (right,) = answer("Erf-1", [np.array([5, 6, -(2**40)])], {})
    for came, wrong in (([0, 1, -1], 0), ([1, 1, -1], 0), ([0, 0, 0], 2)):
        outputs = [np.array(came)]
        assert compare(right.chosen(outputs), outputs[0]).wrong == wrong
