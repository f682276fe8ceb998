"""The comparator on trial: what it must catch, and what it must let pass."""

import warnings

import ml_dtypes
import numpy as np
import pytest

from reference import Expected, answer, compare
from reference.accuracy.statistics import Statistic

F32_MAX = float(np.finfo(np.float32).max)
F32_OVERFLOW = F32_MAX + 2.0**103


def exactly(*values, dtype=np.float32):
    return Expected(np.array(values, dtype))


def within(bound, *values, **more):
    return Expected(np.array(values, np.float64), np.array(bound), np.array(bound) / 2, **more)


def came(*values, dtype=np.float32):
    return np.array(values, dtype)


# --- must be caught -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_an_all_zero_unsigned_output_is_wrong(dtype):
    right = np.array([200, 1, 0], dtype)
    assert compare(Expected(right), np.zeros(3, dtype)).wrong == 2
    by_value = Expected(right, np.zeros(3), np.zeros(()))
    assert compare(by_value, np.zeros(3, dtype)).wrong == 2


@pytest.mark.parametrize("right", [1.0, -1.0, 0.0, 3e38])
@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
def test_no_error_allows_infinity_or_nan_for_a_finite_number(right, wrong):
    assert compare(within(1e30, right), came(wrong)).wrong == 1
    assert compare(exactly(right), came(wrong)).wrong == 1


@pytest.mark.parametrize("right", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("wrong", [0.0, 1.0, F32_MAX, -F32_MAX])
def test_no_error_allows_a_finite_number_for_infinity_or_nan(right, wrong):
    assert compare(within(1e30, right), came(wrong)).wrong == 1
    assert compare(exactly(right), came(wrong)).wrong == 1


def test_infinities_have_signs_and_are_not_nan():
    assert compare(within(1e30, np.inf), came(-np.inf)).wrong == 1
    assert compare(within(1e30, np.inf), came(np.nan)).wrong == 1
    assert compare(within(1e30, np.nan), came(np.inf)).wrong == 1
    assert compare(within(0.0, np.inf, -np.inf, np.nan), came(np.inf, -np.inf, np.nan)).wrong == 0


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("beside", [0, 1, -1])
def test_the_least_integer_is_far_from_all_others(dtype, beside):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    other = most if beside == -1 else beside
    right = Expected(np.array([least], dtype), np.array([1.0]), np.array([0.0]))
    assert compare(right, np.array([other], dtype)).wrong == 1
    assert compare(Expected(np.array([other], dtype)), np.array([least], dtype)).wrong == 1
    assert compare(right, np.array([least + 1], dtype)).wrong == 0


def test_64_bit_integers_are_compared_exactly():
    right = Expected(np.array([2**63 - 1, 2**53], np.int64), np.zeros(2), np.zeros(2))
    found = compare(right, np.array([2**63 - 2, 2**53 + 1], np.int64))
    assert found.wrong == 2
    assert found.expected == str(2**63 - 1)
    unsigned = Expected(np.array([2**64 - 1], np.uint64), np.ones(1), np.zeros(1))
    assert compare(unsigned, np.array([2**64 - 2], np.uint64)).wrong == 0
    assert compare(unsigned, np.array([2**64 - 3], np.uint64)).wrong == 1


@pytest.mark.parametrize("right", [exactly(1.0, 2.0), within(1e30, 1.0, 2.0)])
def test_an_output_of_another_shape_is_wrong_and_says_so(right):
    found = compare(right, came(1.0))
    assert (found.wrong, found.of, found.fraction) == (2, 2, np.inf)
    assert (found.expected, found.actual) == ("shape [2]", "shape [1]")
    # An output that should be empty, and is not.
    assert compare(exactly(), came(1.0)).wrong == 1


def test_a_row_less_of_proposals_is_wrong():
    attributes = {"base_size": 16, "pre_nms_topn": 6, "post_nms_topn": 3, "nms_thresh": 0.7}
    attributes |= {"feat_stride": 16, "min_size": 1, "ratio": [1.0], "scale": [2.0]}
    inputs = [
        np.linspace(0, 1, 8, dtype=np.float32).reshape(1, 2, 2, 2),
        np.zeros((1, 4, 2, 2), np.float32),
        np.array([64, 64, 1], np.float32),
    ]
    expected = answer("Proposal-4", inputs, attributes)
    right = [each.value.astype(np.float32) for each in expected]
    given = [each[:-1] for each in right]
    found = [compare(one.chosen(given), two) for one, two in zip(expected, given, strict=True)]
    assert [each.wrong for each in found] == [15, 3]
    assert found[0].actual == "shape [2, 5]"


def test_bits_count_where_nothing_is_computed():
    assert compare(exactly(0.0), came(-0.0)).wrong == 1
    assert compare(exactly(np.nan), came(-np.nan)).wrong == 0
    assert compare(exactly(1e-42), came(0.0)).wrong == 1


# --- must pass ----------------------------------------------------------------------------------------------------


def test_zeros_of_both_signs_are_one_number_within_a_bound():
    assert compare(within(0.0, 0.0, -0.0), came(-0.0, 0.0)).wrong == 0


def test_the_rounded_answer_is_always_right():
    third = np.float32(1 / 3)
    found = compare(within(0.0, 1 / 3), came(third))
    assert (found.wrong, found.coarse, found.fraction) == (0, 0, 1.0)
    assert compare(within(0.0, 1 / 3), came(np.nextafter(third, 1))).wrong == 1


def test_subnormals_may_come_as_zero_and_as_nothing_else():
    right = within(0.0, 1e-39, flush=float(np.finfo(np.float32).smallest_normal))
    assert compare(right, came(0.0)).wrong == 0
    assert compare(right, came(-0.0)).wrong == 0
    assert compare(right, came(1e-39)).wrong == 0
    assert compare(right, came(2e-39)).wrong == 1


@pytest.mark.parametrize(
    ("exact", "bound", "infinity", "largest"),
    [
        (F32_MAX, 0.0, False, True),
        (F32_OVERFLOW * 0.999999999, 0.0, False, True),
        (F32_OVERFLOW, 0.0, True, False),
        (2 * F32_MAX, 0.0, True, False),
        (F32_MAX, 2.0**104, True, True),
        (F32_OVERFLOW, 2.0**104, True, True),
    ],
)
def test_overflow_is_where_rounding_says(exact, bound, infinity, largest):
    assert (compare(within(bound, exact), came(np.inf)).wrong == 0) is infinity
    assert (compare(within(bound, exact), came(F32_MAX)).wrong == 0) is largest
    assert compare(within(bound, exact), came(-np.inf)).wrong == 1
    assert (compare(within(bound, -exact), came(-np.inf)).wrong == 0) is infinity


def test_overflow_of_narrow_types():
    assert compare(within(0.0, 65519.0, 65520.0), came(65504, np.inf, dtype=np.float16)).wrong == 0
    bf16 = ml_dtypes.bfloat16
    assert compare(within(0.0, 3.39e38), came(np.inf, dtype=bf16)).wrong == 1
    assert compare(within(0.0, 3.39e38), came(3.39e38, dtype=bf16)).wrong == 0


# --- what it tells ------------------------------------------------------------------------------------------------


def test_both_tiers_are_counted_and_the_worst_element_is_told():
    right = Expected(np.array([1.0, 2.0, 3.0, 4.0]), np.full(4, 0.5), np.full(4, 0.1))
    found = compare(right, came(1.0, 2.25, 3.75, 4.0))
    assert (found.wrong, found.coarse, found.of) == (1, 1, 4)
    assert found.fraction == pytest.approx(1.5)
    assert found.index == (2,)
    assert (found.expected, found.actual) == ("3.0", "3.75")
    assert (found.low, found.high) == ("2.5", "3.5")


def test_an_infinite_bound_admits_anything_and_it_is_counted_apart():
    right = Expected(np.array([1.0, 1.0]), np.array([np.inf, np.inf]), np.zeros(2))
    found = compare(right, came(np.nan, 1.0))
    assert (found.wrong, found.coarse, found.open, found.fraction) == (0, 0, 1, 0.0)
    assert np.isposinf(right.allowed_errors()).all()
    assert np.isposinf(right.allowed_errors(quality=True)).all()


def test_open_and_coarse_elements_are_counted_apart():
    bound, quality = np.array([np.inf, 4.0, np.inf, 4.0, 4.0]), np.full(5, 1.0)
    found = compare(Expected(np.zeros(5), bound, quality), came(9.0, 2.0, 0.5, 9.0, 0.0))
    assert (found.wrong, found.coarse, found.open) == (1, 1, 1)


def test_what_another_reading_admits_is_not_open():
    silent = Expected(np.array([5.0]), np.array([np.inf]), np.zeros(1))
    right = within(0.0, 0.0, others=(silent,))
    assert compare(right, came(0.0)).open == 0
    assert compare(right, came(9.0)).open == 1


def test_either_reading_of_the_inputs_may_be_answered_element_by_element():
    other = within(0.0, 5.0, 6.0)
    right = within(0.0, 1.0, 2.0, others=(other,))
    assert compare(right, came(1.0, 6.0)).wrong == 0
    assert compare(right, came(3.0, 6.0)).wrong == 1


@pytest.mark.parametrize(("fraction", "wrong"), [(0.7, 0), (1.2, 2)])
def test_a_statistic_judges_all_elements(fraction, wrong):
    right = within(1.0, 1.0, 2.0, together=lambda came: Statistic(fraction, "the variance"))
    found = compare(right, came(1.0, 2.0))
    assert (found.wrong, found.fraction) == (wrong, fraction)
    assert found.statistic == ("the variance" if wrong else "")


def test_strings_and_truths():
    words = np.array(["a", "b"], object)
    assert compare(Expected(words), np.array(["a", "c"], object)).wrong == 1
    truths = Expected(np.array([True, False]), np.zeros(2), np.zeros(()))
    assert compare(truths, np.array([True, True])).wrong == 1


@pytest.mark.parametrize("shape", [(), (1,)])
def test_integers_of_both_signs_are_as_far_apart_as_they_are(shape):
    ends = np.iinfo(np.int64)
    for right, wrong, allowed in ((-1, 0, 1.0), (2, -3, 5.0), (ends.min, ends.max, 2.0**64)):
        right = Expected(np.full(shape, right), np.array(allowed), np.array(allowed))
        assert compare(right, np.full(shape, wrong)).fraction == pytest.approx(1.0)


def test_empty_and_scalar_outputs():
    assert compare(
        Expected(np.zeros((0, 3)), np.zeros(()), np.zeros(())), came().reshape(0, 3)
    ) == (compare(Expected(np.zeros((0, 3)), np.zeros(()), np.zeros(())), came().reshape(0, 3)))
    scalar = Expected(np.array(1.0), np.array(0.5), np.array(0.25))
    assert compare(scalar, np.array(1.75, np.float32)).index == ()


@pytest.mark.parametrize(
    "expected, actual, error",
    [
        ([4, 1 << 40], [4, (1 << 40) + 1], 2.0**-40),
        ([4, -8], [5, -6], 0.25),
        ([0, 1], [1, 1], np.inf),
    ],
)
def test_the_largest_relative_error_of_wrong_integers(expected, actual, error):
    found = compare(Expected(np.array(expected, np.int64)), np.array(actual, np.int64))
    assert found.relative_error == error


def test_the_relative_error_of_numbers_within_the_bound_does_not_count():
    expected = Expected(np.array([1e-9, 100.0]), bound=np.array(1e-3), quality=np.array(0.0))
    assert compare(expected, np.array([5e-9, 150.0])).relative_error == 0.5
    assert compare(expected, np.array([5e-9, 100.0])).relative_error is None
    assert compare(expected, np.array([1e-9, np.nan])).relative_error == np.inf


def test_truths_and_strings_have_no_relative_error():
    found = compare(Expected(np.array([True])), np.array([False]))
    assert found.relative_error == np.inf
    found = compare(Expected(np.array(["a"], object)), np.array(["b"], object))
    assert found.relative_error == np.inf


def test_a_signalling_nan_is_wrong_without_a_warning():
    actual = np.array([0x7F800001], np.uint32).view(np.float32)
    expected = Expected(np.array([1.0], np.float32), np.array([1e-6]), None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare(expected, actual).wrong == 1
