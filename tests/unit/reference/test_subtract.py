"""Subtract-1: differences by hand."""

import ml_dtypes
import numpy as np

from reference.arithmetic.subtract import subtract


def test_differences():
    a = np.array([[1.0, -2.0, 0.5]], np.float32)
    b = np.array([[10.0], [20.0]], np.float32)
    assert subtract(a, b).tolist() == [[-9.0, -12.0, -9.5], [-19.0, -22.0, -19.5]]


def test_reals_are_not_rounded_to_their_type():
    tiny = np.array([2.0**-20], ml_dtypes.bfloat16)
    assert subtract(np.array([1.0], ml_dtypes.bfloat16), tiny).tolist() == [1 - 2.0**-20]


def test_integers_keep_their_type_and_wrap():
    found = subtract(np.array([100, -128], np.int8), np.array([28, 1], np.int8))
    assert found.dtype == np.int8
    assert found.tolist() == [72, 127]
    assert subtract(np.array([3], np.uint8), np.array([5], np.uint8)).tolist() == [254]
    large = np.array([-(2**63) + 1], np.int64)
    assert subtract(large, np.array([1], np.int64)).tolist() == [-(2**63)]


def test_broadcasting():
    a = np.arange(6.0).reshape(2, 3)
    assert subtract(a, np.array([0.0, 1.0, 2.0])).tolist() == [[0, 0, 0], [3, 3, 3]]
    assert subtract(a, np.array([3.0]), auto_broadcast="pdpd").tolist() == [[-3, -2, -1], [0, 1, 2]]
