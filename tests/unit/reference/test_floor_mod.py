"""FloorMod-1: the sign of the divisor, by hand; what rounding of the quotient may do."""

import numpy as np
import pytest

from reference import answer, compare
from reference.arithmetic.floor_mod import floor_mod

A = [7, 7, -7, -7, 6, -6, 0, 1, -1]
B = [2, -2, 2, -2, 3, 3, 5, 9, 9]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float16])
def test_the_sign_is_that_of_the_divisor(dtype):
    found = floor_mod(np.array(A, dtype), np.array(B, dtype))
    assert found.tolist() == [1, -1, 1, -1, 0, 0, 0, 1, 8]


def test_reals():
    a, b = np.array([5.5, -5.5, 5.5, -5.5]), np.array([1.5, 1.5, -1.5, -1.5])
    assert floor_mod(a, b).tolist() == [1.0, 0.5, -0.5, -1.0]


def test_the_definition_holds():
    state = np.random.RandomState(0)
    a, b = state.randint(-1000, 1000, 500), state.choice([-7, -3, 5, 11], 500)
    assert (np.floor_divide(a, b) * b + floor_mod(a, b) == a).all()


def test_64_bits():
    a = np.array([2**63 - 1, -(2**63)], np.int64)
    assert floor_mod(a, np.array([10], np.int64)).tolist() == [7, 2]


def test_a_quotient_that_rounds_to_a_whole_number_may_leave_a_whole_divisor():
    # 3 / f32(0.1) is a bit below 30 and rounds to it: the remainder is nearly 0.1, or by that quotient nearly 0.
    a, b = np.array([3.0], np.float32), np.array([0.1], np.float32)
    (right,) = answer("FloorMod-1", [a, b], {})
    exact = float(right.value[0])
    assert 0.0999 < exact < 0.1
    for came in (exact, exact - float(b[0])):
        came_array = np.array([came], np.float32)
        assert compare(right.chosen([came_array]), came_array).wrong == 0
    other = np.array([0.05], np.float32)
    assert compare(right.chosen([other]), other).wrong == 1


def test_elsewhere_it_may_not():
    a, b = np.array([3.05], np.float32), np.array([0.1], np.float32)
    (right,) = answer("FloorMod-1", [a, b], {})
    came = (right.value - 0.1).astype(np.float32)
    assert compare(right.chosen([came]), came).wrong == 1


def test_a_quotient_that_vanishes_leaves_the_dividend():
    a, b = np.array([1e-38], np.float32), np.array([-1e38], np.float32)
    (right,) = answer("FloorMod-1", [a, b], {})
    for came in (b, a):
        assert compare(right.chosen([came]), came).wrong == 0
    assert compare(right.chosen([-a]), -b).wrong == 1


def test_division_by_zero_is_left_open():
    a, b = np.array([5, 6], np.int32), np.array([0, 4], np.int32)
    (right,) = answer("FloorMod-1", [a, b], {})
    came = np.array([99, 2], np.int32)
    assert compare(right.chosen([came]), came).wrong == 0


@pytest.mark.parametrize(
    "a, b, remainders, others",
    [
        # 1e8 = 33333333·3 + 1; the quotient rounds to 33333332 or 33333336, and 8 is an ulp of 1e8.
        (1e8, 3.0, [0, 1, 2.5, 3], [-8, -2, -1, 3.5, 8, np.nan, np.inf]),
        (-1e8, 3.0, [0, 2, 3], [-1, 4]),
        # 123456792 = 17636684·7 + 4.
        (123456792.0, 7.0, [0, 4, 7], [-1, 8]),
        (98765432.0, -11.0, [0, -10, -11], [1, -12]),
    ],
)
def test_of_a_large_quotient_any_remainder_is_left_but_nothing_else(a, b, remainders, others):
    (right,) = answer("FloorMod-1", [np.array([a], np.float32), np.array([b], np.float32)], {})
    for value in (*remainders, *others):
        given = np.array([value], np.float32)
        wrong = compare(right.chosen([given]), given).wrong
        assert wrong == (value in others or value != value), value


def test_smaller_quotients_keep_their_digits():
    a, b = np.array([1e6], np.float32), np.array([7.0], np.float32)
    (right,) = answer("FloorMod-1", [a, b], {})
    assert right.value.tolist() == [1.0]
    for value, wrong in ((1.0, 0), (1.0625, 0), (1.25, 1), (0.5, 1)):
        given = np.array([value], np.float32)
        assert compare(right.chosen([given]), given).wrong == wrong
