"""Sqrt-1: the page's examples, integers at both sides of a half and at the types' ends."""

import math

import numpy as np
import pytest

from reference import answer, compare
from reference.arithmetic.sqrt import sqrt


def test_examples_of_the_page():
    found = sqrt(np.array([4.0, 7.0, 9.0, 10.0], np.float32))
    assert found == pytest.approx([2.0, 2.6457512, 3.0, 3.1622777])
    assert sqrt(np.array([4, 7, 9, 10], np.int32)).tolist() == [2, 3, 3, 3]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64])
def test_integers_are_rounded_to_the_nearest(dtype):
    values = np.arange(127).astype(dtype)
    expected = [math.floor(math.sqrt(n) + 0.5) for n in range(127)]
    assert sqrt(values).tolist() == expected
    assert sqrt(values).dtype == dtype


def nearest_root(n):
    root = math.isqrt(n)
    return root + (n > root * root + root)


def test_64_bit_integers_are_exact():
    numbers = [2**63 - 1, 2**62 - 1, 2**52 + 1, 3037000499**2, 3037000499**2 - 1]
    numbers += [n * n + n for n in (10**9, 2**31 - 1)] + [n * n + n + 1 for n in (10**9, 2**31)]
    found = sqrt(np.array(numbers, np.int64)).tolist()
    assert found == [nearest_root(n) for n in numbers]
    large = [2**64 - 1, 2**64 - 2**32, 2**64 - 2**32 + 1, (2**32 - 1) ** 2, 2**63]
    assert sqrt(np.array(large, np.uint64)).tolist() == [nearest_root(n) for n in large]


def test_negative_numbers_are_left_open():
    (right,) = answer("Sqrt-1", [np.array([-1.0, 4.0], np.float32)], {})
    assert compare(right, np.array([0.0, 2.0], np.float32)).wrong == 0
    assert compare(right, np.array([np.nan, np.nan], np.float32)).wrong == 1
