"""Operations on two inputs, element by element: answers by hand."""

import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare, lookup

PAIRS = [("numpy", [[1], [4]], [3, 5]), ("none", [[1, 1], [4, 4]], [[3, 5], [3, 5]])]


def computed(name, a, b, dtype, **attributes):
    found = lookup(name)(np.array(a, dtype), np.array(b, dtype), **attributes)
    assert not isinstance(found, tuple)
    return found


@pytest.mark.parametrize(("mode", "a", "b"), PAIRS)
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Maximum-1", [[3, 5], [4, 5]]),
        ("Minimum-1", [[1, 1], [3, 4]]),
        ("Mod-1", [[1, 1], [1, 4]]),
        ("Multiply-1", [[3, 5], [12, 20]]),
        ("SquaredDifference-1", [[4, 16], [1, 1]]),
        ("BitwiseAnd-13", [[1, 1], [0, 4]]),
        ("BitwiseOr-13", [[3, 5], [7, 5]]),
        ("BitwiseXor-13", [[2, 4], [7, 1]]),
        ("BitwiseRightShift-15", [[0, 0], [0, 0]]),
        ("GreaterEqual-1", [[False, False], [True, False]]),
        ("LessEqual-1", [[True, True], [False, True]]),
        ("NotEqual-1", [[True, True], [True, True]]),
    ],
)
def test_broadcasting(name, values, mode, a, b):
    found = computed(name, a, b, np.int32, auto_broadcast=mode)
    assert found.tolist() == values
    assert found.dtype == (bool if isinstance(values[0][0], bool) else np.int32)
    with pytest.raises(ValueError, match="must be"):
        computed(name, np.zeros((2, 3)), np.zeros((2, 2)), np.int32, auto_broadcast=mode)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("LogicalOr-1", [False, True, True, True]),
        ("LogicalXor-1", [False, True, True, False]),
        ("BitwiseAnd-13", [False, False, False, True]),
        ("BitwiseOr-13", [False, True, True, True]),
        ("BitwiseXor-13", [False, True, True, False]),
    ],
)
def test_truth_tables(name, values):
    found = computed(name, [False, False, True, True], [False, True, False, True], bool)
    assert found.dtype == bool
    assert found.tolist() == values


@pytest.mark.parametrize(
    ("name", "values"),
    [("BitwiseAnd-13", [1, 32]), ("BitwiseOr-13", [23, 125]), ("BitwiseXor-13", [22, 93])],
)
def test_numbers_of_the_pages_on_bits(name, values):
    assert computed(name, [21, 120], [3, 37], np.uint8).tolist() == values


def test_bits_of_signs_and_of_four_bit_numbers():
    assert computed("BitwiseXor-13", [-1, -8], [7, 7], ml_dtypes.int4).astype(int).tolist() == [
        -8,
        -1,
    ]
    assert computed("BitwiseAnd-13", [-1, -128], [5, -127], np.int8).tolist() == [5, -128]
    large = computed("BitwiseOr-13", [2**53], [1], np.uint64)
    assert large.tolist() == [2**53 + 1]


def test_shifts_keep_the_sign_and_are_open_outside_of_the_bits():
    assert computed("BitwiseRightShift-15", [-7, -1, 100], [1, 7, 3], np.int8).tolist() == [
        -4,
        -1,
        12,
    ]
    assert computed("BitwiseRightShift-15", [255, 129], [7, 1], np.uint8).tolist() == [1, 64]
    inputs = [np.array([1, 64], np.int8), np.array([8, 6], np.int8)]
    (right,) = answer("BitwiseRightShift-15", inputs, {})
    assert compare(right, np.array([77, 1], np.int8)).wrong == 0
    assert compare(right, np.array([0, 2], np.int8)).wrong == 1


def test_remainders_have_the_sign_of_the_dividend():
    for dtype in (np.int8, np.int32, np.int64, np.float32, ml_dtypes.int4):
        found = computed("Mod-1", [7, 7, -7, -7, 6, -6, 0], [2, -2, 2, -2, 3, 3, 5], dtype)
        assert found.astype(int).tolist() == [1, 1, -1, -1, 0, 0, 0]
    assert computed("Mod-1", [5.5, -5.5], [-1.5, 1.5], np.float32).tolist() == [1.0, -1.0]
    ends = computed("Mod-1", [-128, 127, -128], [127, -128, -1], np.int8)
    assert ends.tolist() == [-1, 127, 0]
    assert computed("Mod-1", [2**64 - 1], [2**32], np.uint64).tolist() == [2**32 - 1]


def test_remainders_of_large_quotients_and_by_zero():
    (right,) = answer("Mod-1", [np.array([-1e8], np.float32), np.array([3.0], np.float32)], {})
    for value, wrong in ((0.0, 0), (-1.0, 0), (-3.0, 0), (1.0, 1), (-4.0, 1)):
        given = np.array([value], np.float32)
        assert compare(right.chosen([given]), given).wrong == wrong
    (right,) = answer("Mod-1", [np.array([5, 6]), np.array([0, 4])], {})
    assert compare(right.chosen([np.array([9, 2])]), np.array([9, 2])).wrong == 0


def test_products_and_squares_at_the_ends_of_types():
    assert computed("Multiply-1", [-128, 127, 11], [1, -1, -11], np.int8).tolist() == [
        -128,
        -127,
        -121,
    ]
    assert computed("Multiply-1", [2**32 + 1], [2**32 - 1], np.uint64).tolist() == [2**64 - 1]
    assert computed("SquaredDifference-1", [1, 0], [3, 15], np.uint8).tolist() == [4, 225]
    assert computed("SquaredDifference-1", [127, -128], [116, -117], np.int8).tolist() == [121, 121]
    assert computed("SquaredDifference-1", [1000.0], [1000.25], np.float32).tolist() == [0.0625]


def test_a_difference_that_was_rounded_once_is_squared_within_the_bound():
    a, b = np.array([1.0], np.float32), np.array([2.0**-25 * 3], np.float32)
    (right,) = answer("SquaredDifference-1", [a, b], {})
    rounded = ((a - b).astype(np.float32) ** 2).astype(np.float32)
    assert compare(right, rounded).wrong == 0
    assert compare(right, rounded * np.float32(1 + 2.0**-20)).wrong == 1


@pytest.mark.parametrize("name", ["Maximum-1", "Minimum-1", "GreaterEqual-1", "LessEqual-1"])
def test_nan_has_no_order(name):
    a, b = np.array([np.nan, 2.0], np.float32), np.array([1.0, 1.0], np.float32)
    (right,) = answer(name, [a, b], {}, None if name.startswith("M") else ["boolean"])
    good = right.value.astype(bool if not name.startswith("M") else np.float32)
    for first in (0, 1):
        assert compare(right, np.array([first, good[1]], good.dtype)).wrong == 0
    assert (
        compare(right, np.array([0, 5 if name.startswith("M") else not good[1]], good.dtype)).wrong
        == 1
    )


def test_zeros_of_both_signs_are_equal_and_neighbours_are_not():
    zeros = np.array([0.0, -0.0], np.float32)
    for name, value in (("GreaterEqual-1", True), ("LessEqual-1", True), ("NotEqual-1", False)):
        assert lookup(name)(zeros, -zeros).tolist() == [value, value]
    large = np.array([2**63 - 1], np.int64)
    assert lookup("NotEqual-1")(large, large - 1).tolist() == [True]
    assert lookup("Maximum-1")(large, large - 1).tolist() == [2**63 - 1]
    assert lookup("Minimum-1")(large, large - 1).tolist() == [2**63 - 2]
