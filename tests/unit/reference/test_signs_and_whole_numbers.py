"""Abs, Negative, Sign, Floor, Ceiling, BitwiseNot, LogicalNot, IsFinite, IsInf, IsNaN: values worked by hand."""

import ml_dtypes
import numpy as np
import pytest

from reference import answer
from reference.arithmetic.abs import abs
from reference.arithmetic.ceiling import ceiling
from reference.arithmetic.floor import floor
from reference.arithmetic.negative import negative
from reference.arithmetic.sign import sign
from reference.bitwise.bitwise_not import bitwise_not
from reference.comparison.is_finite import is_finite
from reference.comparison.is_inf import is_inf
from reference.comparison.is_nan import is_nan
from reference.logical.logical_not import logical_not

INF, NAN = np.inf, np.nan
TYPES = [np.float16, np.float32, np.float64, ml_dtypes.bfloat16]


@pytest.mark.parametrize("kind", TYPES)
def test_signs_of_reals(kind):
    data = np.array([-2.5, -0.0, 0.0, 0.125, INF, -INF, NAN], kind)
    assert abs(data)[:6].tolist() == [2.5, 0, 0, 0.125, INF, INF]
    assert negative(data)[:6].tolist() == [2.5, 0, 0, -0.125, -INF, INF]
    assert np.signbit(negative(data)[1:3]).tolist() == [False, True]
    assert sign(data)[:6].tolist() == [-1, 0, 0, 1, 1, -1]
    assert np.isnan([abs(data)[6], negative(data)[6], sign(data)[6]]).all()


def test_signs_of_integers():
    data = np.array([-127, -1, 0, 1, 127], np.int8)
    assert abs(data).tolist() == [127, 1, 0, 1, 127]
    assert negative(data).tolist() == [127, 1, 0, -1, -127]
    assert sign(data).tolist() == [-1, -1, 0, 1, 1]
    large = np.array([2**53 + 1, -(2**62) - 3])
    assert abs(large).tolist() == [2**53 + 1, 2**62 + 3]
    assert sign(np.array([0, 255], np.uint8)).tolist() == [0, 1]


@pytest.mark.parametrize("name", ["Abs-1", "Negative-1"])
def test_what_has_no_place_in_its_type_is_not_judged(name):
    (expected,) = answer(name, [np.array([-128, -127], np.int8)], {})
    assert np.isposinf(expected.bound).tolist() == [True, False]


@pytest.mark.parametrize("kind", TYPES)
def test_whole_numbers(kind):
    data = np.array([-1.5, -1.0, -0.25, 0.25, 1.0, 1.5, INF], kind)
    assert floor(data).tolist() == [-2, -1, -1, 0, 1, 1, INF]
    assert ceiling(data).tolist() == [-1, -1, 0, 1, 1, 2, INF]


def test_whole_numbers_of_integers_are_themselves():
    data = np.array([2**53 + 1, -(2**63)])
    assert floor(data).tolist() == ceiling(data).tolist() == data.tolist()


def test_bits():
    # The page's own numbers.
    assert bitwise_not(np.array([True, False])).tolist() == [False, True]
    assert bitwise_not(np.array([1, 3], np.uint8)).tolist() == [254, 252]
    # Two's complement: -n - 1
    assert bitwise_not(np.array([0, -1, 5, -128], np.int8)).tolist() == [-1, 0, -6, 127]
    assert logical_not(np.array([True, False])).tolist() == [False, True]


@pytest.mark.parametrize("kind", TYPES)
def test_numbers_that_are_not_finite(kind):
    # The pages' own numbers.
    assert is_finite(np.array([NAN, 2.1, 3.7, INF], kind)).tolist() == [False, True, True, False]
    found = is_nan(np.array([NAN, 2.1, 3.7, NAN, INF], kind))
    assert found.dtype == bool
    assert found.tolist() == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("negative", "positive", "expected"),
    [
        (True, True, [True, True, False, False]),
        (True, False, [True, False, False, False]),
        (False, True, [False, True, False, False]),
        (False, False, [False] * 4),
    ],
)
def test_infinities_of_the_signs_asked_for(negative, positive, expected):
    data = np.array([-INF, INF, NAN, 1e38], np.float32)
    found = is_inf(data, detect_negative=negative, detect_positive=positive)
    assert found.tolist() == expected


def test_both_signs_are_the_default():
    assert is_inf(np.array([-INF, INF])).tolist() == [True, True]
