import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare
from reference.arithmetic.round import round

NUMBERS = [-4.5, -1.9, -1.5, 0.5, 0.9, 1.5, 2.3, 2.5]  # the page's


def test_halves_to_even_are_the_default():
    expected = [-4.0, -2.0, -2.0, 0.0, 1.0, 2.0, 2.0, 2.0]
    assert round(np.array(NUMBERS)).tolist() == expected
    assert round(np.array(NUMBERS), mode="half_to_even").tolist() == expected


def test_halves_away_from_zero():
    assert round(np.array(NUMBERS), mode="half_away_from_zero").tolist() == [
        *[-5.0, -2.0, -2.0, 1.0, 1.0, 2.0, 2.0, 3.0]
    ]


@pytest.mark.parametrize("mode", ["half_to_even", "half_away_from_zero"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_adding_a_half_goes_wrong(mode, sign):
    numbers = sign * np.array([0.49999999999999994, 2.0**52 - 1, 2.0**52 + 1, 2.0**53 - 1])
    expected = (sign * np.array([0.0, *numbers[1:] * sign])).tolist()
    assert round(numbers, mode=mode).tolist() == expected


@pytest.mark.parametrize("mode", ["half_to_even", "half_away_from_zero"])
def test_what_is_no_number(mode):
    given = np.array([np.inf, -np.inf, np.nan, -0.0, -0.25], np.float32)
    found = round(given, mode=mode)
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.nan, 0.0, 0.0])
    assert np.signbit(found).tolist()[3:] == [True, True]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_integers_stay_as_they_are(dtype):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 5], dtype)
    found = round(ends)
    assert found.dtype == dtype
    assert found.tolist() == ends.tolist()


def test_small_floats_are_computed_in_float64():
    found = round(np.array([2.5, -3.5], ml_dtypes.bfloat16))
    assert found.dtype == np.float64
    assert found.tolist() == [2.0, -4.0]


@pytest.mark.parametrize(("came", "wrong"), [([2.0, -0.0], 0), ([3.0, 0.0], 1), ([2.0, -1.0], 1)])
def test_any_other_whole_number_is_wrong(came, wrong):
    (expected,) = answer("Round-5", [np.array([2.5, -0.5], np.float32)], {})
    assert compare(expected, np.array(came, np.float32)).wrong == wrong


def test_what_the_page_forbids():
    with pytest.raises(ValueError, match="Round-5: mode must be half_to_even or half_away"):
        round(np.array([1.0]), mode="up")
