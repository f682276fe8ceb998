"""Tanh-1: the page's formula, and integers."""

import numpy as np
import pytest

from reference.arithmetic.tanh import tanh


def test_the_formula_of_the_page():
    x = np.linspace(-4, 4, 33)
    assert tanh(x) == pytest.approx(2 / (1 + np.exp(-2 * x)) - 1, abs=1e-15)


def test_small_and_large_arguments():
    x = np.array([1e-20, -1e-20, 1000.0, -np.inf])
    assert tanh(x).tolist() == [1e-20, -1e-20, 1.0, -1.0]


def test_integers_are_rounded():
    found = tanh(np.array([-5, -1, 0, 1, 5], np.int16))
    assert found.dtype == np.int16
    assert found.tolist() == [-1, -1, 0, 1, 1]
    assert tanh(np.array([-(2**63), 2**63 - 1], np.int64)).tolist() == [-1, 1]
