"""Add-1: page examples of shapes, sums by hand."""

import ml_dtypes
import numpy as np

from reference.arithmetic.add import add


def test_sums():
    a = np.array([[1.0, -2.0, 0.5]], np.float32)
    b = np.array([[10.0], [20.0]], np.float32)
    assert add(a, b).tolist() == [[11.0, 8.0, 10.5], [21.0, 18.0, 20.5]]


def test_reals_are_not_rounded_to_their_type():
    tiny = np.array([2.0**-20], ml_dtypes.bfloat16)
    assert add(np.array([1.0], ml_dtypes.bfloat16), tiny).tolist() == [1 + 2.0**-20]


def test_integers_keep_their_type_and_wrap():
    found = add(np.array([100, -128], np.int8), np.array([28, -1], np.int8))
    assert found.dtype == np.int8
    assert found.tolist() == [-128, 127]
    large = np.array([2**63 - 2], np.int64)
    assert add(large, np.array([1], np.int64)).tolist() == [2**63 - 1]


def test_broadcasting():
    a = np.zeros((2, 3, 4))
    assert add(a, np.zeros((3, 1))).shape == (2, 3, 4)
    assert add(a, np.zeros((3, 4)), auto_broadcast="pdpd").shape == (2, 3, 4)
