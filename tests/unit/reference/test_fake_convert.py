"""FakeConvert, by hand.

f8e4m3 has 3 bits of fraction: between 1 and 2 its numbers are eighths, between 8 and 16 they are whole, its largest is
448, its subnormals are multiples of 2^-9. f8e5m2 has 2 bits: quarters, even numbers, 57344, multiples of 2^-16.
"""

import numpy as np
import pytest

from reference import answer, compare, lookup

NAME = "FakeConvert-13"
fake_convert = lookup(NAME)


def converted(numbers, destination_type, scale=1.0, shift=None):
    data = np.array(numbers, np.float32)
    shifts = [] if shift is None else [np.array([shift], np.float32)]
    given = data, np.array([scale], np.float32), *shifts
    return fake_convert(*given, destination_type=destination_type).tolist()


def test_nearest_numbers():
    assert converted([1.05, 1.07, -1.3, 9.4, 9.6, 0.3], "f8e4m3") == [
        1,
        1.125,
        -1.25,
        9,
        10,
        0.3125,
    ]
    assert converted([1.1, 1.2, -1.3, 9.4, 10.9, 11.1], "f8e5m2") == [1, 1.25, -1.25, 10, 10, 12]


def test_least_numbers():
    step = 2.0**-9
    assert converted([step, 1.4 * step, 2.6 * step, 0.6 * step, 0.4 * step], "f8e4m3") == [
        step,
        step,
        3 * step,
        step,
        0,
    ]
    assert converted([0.6 * 2.0**-16, -1.4 * 2.0**-16], "f8e5m2") == [2.0**-16, -(2.0**-16)]


def test_the_largest_numbers_and_nan():
    assert converted([440, 431, 448, np.nan], "f8e4m3")[:3] == [448, 416, 448]
    assert np.all(np.isnan(converted([np.nan], "f8e4m3") + converted([np.nan], "f8e5m2")))
    assert converted([57344.0, 52000.0], "f8e5m2") == [57344, 49152]


def test_scale_and_shift():
    """5 * 2 - 0.3 is 9.7, which becomes 10; (10 + 0.3) / 2 is 5.15."""
    assert converted([5.0], "f8e4m3", 2.0, 0.3) == pytest.approx([5.15])
    assert converted([5.0], "f8e4m3", 2.0) == [5]
    assert converted([4.7], "f8e4m3", -2.0) == [4.5]


def test_each_channel_has_its_own():
    data, scale = np.full((2, 3), 5.3, np.float32), np.array([1, 2, 4], np.float32)
    # 5.3, 10.6 and 21.2 become 5.5, 11 (10.6 is nearer to it than to 10) and 22.
    found = fake_convert(data, scale, destination_type="f8e4m3")
    assert found.tolist() == [[5.5, 5.5, 5.5]] * 2


def wrong(data, scale, shift, actual, destination_type, kind="f32"):
    dtype = {"f32": np.float32, "f16": np.float16}[kind]
    inputs = [np.array(each, dtype) for each in (data, scale, shift)]
    came = [np.array(actual, dtype)]
    (expected,) = answer(NAME, inputs, {"destination_type": destination_type}, [kind])
    return compare(expected.chosen(came), came[0]).wrong


def test_halves_become_either():
    for number in (1.0, 1.125):
        assert wrong([1.0625], [1], [0], [number], "f8e4m3") == 0
    assert wrong([1.0625], [1], [0], [1.25], "f8e4m3") == 1
    assert wrong([1.0625], [1], [0], [0.875], "f8e4m3") == 1
    assert wrong([1.0626], [1], [0], [1.0], "f8e4m3") == 1


def test_numbers_as_near_to_a_half_as_the_errors_of_the_steps_become_either():
    """The last bit of 100 + 1.0625 in f16 is 1/16: 1.0625 less or more than one bit of it is 1 or 1.125."""
    assert wrong([101.0625], [1], [100], [101.0], "f8e4m3", "f16") == 0
    assert wrong([101.0625], [1], [100], [101.125], "f8e4m3", "f16") == 0
    assert wrong([101.0625], [1], [100], [101.5], "f8e4m3", "f16") == 1
    assert wrong([101.07], [1], [100], [101.0], "f8e4m3") == 1


def test_numbers_beyond_the_largest_are_not_judged():
    assert wrong([449, 1e9, np.inf, 1], [1], [0], [np.nan, 448, np.inf, 1], "f8e4m3") == 0
    assert wrong([448.0], [1], [0], [416], "f8e4m3") == 1
