"""ReduceMax-1, ReduceMin-1, ReduceL1-4, ReduceL2-4, ReduceLogicalAnd-1 and ReduceLogicalOr-1 by hand."""

import numpy as np
import pytest

from reference import answer, compare, lookup

DATA = np.array([[3.0, -4.0, 0.0], [-5.0, 12.0, 0.0]], np.float32)


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("ReduceMax-1", [3, 12], [3, 12, 0]),
        ("ReduceMin-1", [-4, -5], [-5, -4, 0]),
        ("ReduceL1-4", [7, 17], [8, 16, 0]),
        ("ReduceL2-4", [5, 13], [34**0.5, 160**0.5, 0]),
    ],
)
def test_numbers(name, rows, columns):
    reduce = lookup(name)
    assert reduce(DATA, np.array([1])).tolist() == rows
    assert reduce(DATA, np.array(-2)).tolist() == columns
    kept = reduce(DATA, np.array([-1]), keep_dims=True)
    assert kept.tolist() == [[each] for each in rows]
    whole = reduce(DATA.astype(np.int32), np.array([1]))
    assert whole.dtype == np.int32
    assert whole.tolist() == rows
    assert reduce(DATA, np.array([], np.int64)).tolist() == DATA.tolist()
    with pytest.raises(ValueError, match=f"{name}: axes"):
        reduce(DATA, np.array([2]))


@pytest.mark.parametrize(
    ("name", "values", "none"),
    [("ReduceLogicalAnd-1", [False, False, False, True], True),
     ("ReduceLogicalOr-1", [False, True, True, True], False)],
)  # fmt: skip
def test_truth_values(name, values, none):
    data = np.array([[False, False], [False, True], [True, False], [True, True]])
    found = lookup(name)(data, np.array([1]))
    assert found.dtype == bool
    assert found.tolist() == values
    assert lookup(name)(data, np.array([], np.int32)).tolist() == data.tolist()
    assert lookup(name)(np.zeros((2, 0), bool), np.array([1])).tolist() == [none, none]
    with pytest.raises(ValueError, match=f"{name}: axes must be different"):
        lookup(name)(data, np.array([1, -1]))


def test_extremes_of_nothing_and_of_nan_are_open():
    (right,) = answer("ReduceMax-1", [np.zeros((2, 0), np.float32), np.array([1])], {})
    assert compare(right, np.array([7.0, -np.inf], np.float32)).wrong == 0
    data = np.array([[np.nan, 1.0], [2.0, 1.0]], np.float32)
    (right,) = answer("ReduceMin-1", [data, np.array([1])], {})
    assert compare(right, np.array([5.0, 1.0], np.float32)).wrong == 0
    assert compare(right, np.array([np.nan, 2.0], np.float32)).wrong == 1


def test_extremes_of_infinities():
    data = np.array([[-np.inf, -np.inf], [np.inf, 1.0]], np.float32)
    assert lookup("ReduceMax-1")(data, np.array([1])).tolist() == [-np.inf, np.inf]
    assert lookup("ReduceMin-1")(data, np.array([1])).tolist() == [-np.inf, 1.0]


def test_norms_of_integers():
    data = np.array([[-127, 0], [3, 5]], np.int8)
    assert lookup("ReduceL1-4")(data, np.array([1])).tolist() == [127, 8]
    assert lookup("ReduceL2-4")(data, np.array([1])).tolist() == [127, 5]
    (right,) = answer("ReduceL2-4", [data, np.array([1])], {})
    # The root of 34 is 5.83: the page does not say how it is rounded.
    assert compare(right, np.array([127, 6], np.int8)).wrong == 0
    assert compare(right, np.array([126, 7], np.int8)).wrong == 2
    large = np.array([[1800000003, -2400000004]], np.int64)
    assert lookup("ReduceL2-4")(large, np.array([1])).tolist() == [3000000005]


def test_a_norm_may_err_by_half_the_relative_error_of_its_sum():
    data = np.full((1, 64), 1.1, np.float32)
    (right,) = answer("ReduceL2-4", [data, np.array([1])], {})
    exact = right.value.astype(np.float64)
    assert compare(right, (exact * (1 + 2.0**-19)).astype(np.float32)).wrong == 0
    assert compare(right, (exact * (1 + 2.0**-16)).astype(np.float32)).wrong == 1


def test_squares_that_vanish_or_overflow_leave_a_norm_open():
    small, great = np.full((1, 4), 2.0**-10, np.float16), np.full((1, 4), 300.0, np.float16)
    (right,) = answer("ReduceL2-4", [small, np.array([1])], {})
    assert compare(right, np.array([0.0], np.float16)).wrong == 0
    (right,) = answer("ReduceL2-4", [great, np.array([1])], {})
    assert compare(right, np.array([np.inf], np.float16)).wrong == 0
    (right,) = answer("ReduceL2-4", [np.full((1, 4), 2.0, np.float16), np.array([1])], {})
    assert compare(right, np.array([4.0], np.float16)).wrong == 0
    assert compare(right, np.array([4.125], np.float16)).wrong == 1
