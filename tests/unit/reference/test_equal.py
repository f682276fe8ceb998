import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare, lookup

equal = lookup("Equal-1")


def test_equal_shapes():
    found = equal(np.array([[1, 2], [3, 4]]), np.array([[1, 3], [3, 5]]), auto_broadcast="none")
    assert found.dtype == bool
    assert found.tolist() == [[True, False], [True, False]]


def test_broadcasting():
    a, b = np.array([[1], [2]]), np.array([1, 2, 1])
    assert equal(a, b).tolist() == [[True, False, True], [False, True, False]]
    assert equal(np.array([[1, 2], [2, 1]]), np.array([1, 2]), auto_broadcast="pdpd").tolist() == [
        [True, True],
        [False, False],
    ]


def test_zeros_and_infinities():
    a = np.array([0.0, -0.0, np.inf, np.inf], np.float32)
    b = np.array([-0.0, 0.0, np.inf, -np.inf], np.float32)
    assert equal(a, b).tolist() == [True, True, True, False]


def test_neighbours_differ():
    assert equal(np.array([2**63 - 1]), np.array([2**63 - 2])).tolist() == [False]
    assert equal(np.array([1.0]), np.array([1 + 2.0**-52])).tolist() == [False]


@pytest.mark.parametrize("dtype", [bool, ml_dtypes.uint2, ml_dtypes.float8_e8m0fnu, object])
def test_types(dtype):
    one, other = ("b", "") if dtype is object else (1, 0)
    a = np.array([one, one, other], dtype)
    b = np.array([one, other, other], dtype)
    if dtype is ml_dtypes.float8_e8m0fnu:  # it has no zero
        a, b = np.array([1, 1, 2]).astype(dtype), np.array([1, 2, 2]).astype(dtype)
    assert equal(a, b).tolist() == [True, False, True]


@pytest.mark.parametrize("came", [True, False])
def test_the_page_does_not_say_what_nan_equals(came):
    a, b = np.array([[np.nan], [3.0]], np.float32), np.array([[np.nan, 3.0]], np.float32)
    (expected,) = answer("Equal-1", [a, b], {}, ["boolean"])
    right = compare(expected, np.array([[came, came], [came, True]]))
    assert (right.wrong, right.open) == (0, 3 if came else 0)
    assert compare(expected, np.array([[came, came], [came, False]])).wrong == 1
