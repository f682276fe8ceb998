"""Acos, Asin, Atan, Acosh, Asinh, Atanh, Log, ErfInv: values worked by hand, ends of their domains, integers."""

import math

import numpy as np
import pytest

from reference import answer
from reference.arithmetic.acos import acos
from reference.arithmetic.acosh import acosh
from reference.arithmetic.asin import asin
from reference.arithmetic.asinh import asinh
from reference.arithmetic.atan import atan
from reference.arithmetic.atanh import atanh
from reference.arithmetic.erf_inv import erf_inv
from reference.arithmetic.log import log

PI = math.pi
ROOT_2, ROOT_3 = math.sqrt(2), math.sqrt(3)

VALUES = [
    (acos, [1, 0.5, ROOT_2 / 2, 0, -0.5, -1], [0, PI / 3, PI / 4, PI / 2, 2 * PI / 3, PI]),
    (asin, [1, 0.5, -ROOT_3 / 2, 0, -1], [PI / 2, PI / 6, -PI / 3, 0, -PI / 2]),
    (atan, [0, 1, -1, ROOT_3, np.inf, -np.inf], [0, PI / 4, -PI / 4, PI / 3, PI / 2, -PI / 2]),
    # cosh(log 2) = (2 + 1/2) / 2 = 1.25, cosh(log 3) = (3 + 1/3) / 2
    (acosh, [1, 1.25, 5 / 3, np.inf], [0, math.log(2), math.log(3), np.inf]),
    # sinh(log 2) = (2 - 1/2) / 2 = 0.75
    (asinh, [0, 0.75, -0.75, 4 / 3], [0, math.log(2), -math.log(2), math.log(3)]),
    # tanh(log 2) = 0.75 / 1.25 = 0.6
    (
        atanh,
        [0, 0.6, -0.6, 0.8, 1, -1],
        [0, math.log(2), -math.log(2), math.log(3), np.inf, -np.inf],
    ),
    (log, [1, math.e, 0.25, 0, np.inf], [0, 1, -2 * math.log(2), -np.inf, np.inf]),
    # Tables of erf: erf(0.5) = 0.5204998778, erf(1) = 0.8427007929, erf(2) = 0.9953222650
    (erf_inv, [0, 0.5204998778, -0.8427007929, 0.9953222650], [0, 0.5, -1, 2]),
    (erf_inv, [1, -1], [np.inf, -np.inf]),
]


@pytest.mark.parametrize(("function", "data", "expected"), VALUES)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_values(function, data, expected):
    assert function(np.array(data, np.float64)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("function", "data"),
    [
        (acos, 1.5),
        (asin, -1.5),
        (acosh, 0.5),
        (atanh, 2.0),
        (log, -1.0),
        (erf_inv, 1.5),
        (erf_inv, -2),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_outside_the_domain_there_is_no_number(function, data):
    assert np.isnan(function(np.array([data, np.nan], np.float64))).all()


@pytest.mark.parametrize(
    ("name", "data", "silent"),
    [
        ("Acos-1", [-1.5, -1, 1, 1.5], [True, False, False, True]),
        ("Acosh-3", [-3, 0.5, 1, 2], [True, True, False, False]),
        ("Atanh-3", [-2, -1, 0.5, 1.5], [True, False, False, True]),
        ("Log-1", [-1, -0.0, 0.5, 1], [True, False, False, False]),
        # This page says what there is beyond 1.
        ("ErfInv-17", [-2, -1, 1, 2], [False] * 4),
    ],
)
def test_pages_say_nothing_of_numbers_outside_the_domain(name, data, silent):
    (expected,) = answer(name, [np.array(data, np.float32)], {})
    assert np.isposinf(expected.bound).tolist() == silent


@pytest.mark.parametrize(
    ("function", "data", "expected"),
    [
        # π, π/2 and 0; ±1.57; 0.785; 0.88, 1.44, 4.6; 1.32, 1.76; 0.69, 1.1, 2.3, 4.6
        (acos, [-1, 0, 1], [3, 2, 0]),
        (asin, [-1, 0, 1], [-2, 0, 2]),
        (atan, [-100, -1, 0, 1, 100], [-2, -1, 0, 1, 2]),
        (asinh, [0, 1, 2, -50], [0, 1, 1, -5]),
        (acosh, [1, 2, 3, 50], [0, 1, 2, 5]),
        (log, [1, 2, 3, 10, 100], [0, 1, 1, 2, 5]),
    ],
)
def test_integers_are_rounded_to_the_nearest(function, data, expected):
    found = function(np.array(data, np.int8))
    assert found.dtype == np.int8
    assert found.tolist() == expected


def test_atanh_of_integers_is_an_end_of_their_type():
    assert atanh(np.array([-128, -1, 0, 1, 127], np.int8)).tolist() == [-128, -128, 0, 127, 127]
    assert atanh(np.array([0, 1, 255], np.uint8)).tolist() == [0, 255, 255]
    found = atanh(np.array([-(2**32), 0, 2**32]))
    assert found.tolist() == [-(2**63), 0, 2**63 - 1]
    (expected,) = answer("Atanh-3", [np.array([-2, 0, 1], np.int32)], {})
    assert (expected.bound == 0).all()


def test_erf_inv_near_its_ends():
    # erfc(3) = 2.209049699858544e-5, erfc(5) = 1.5374597944280349e-12
    rest = np.array([2.209049699858544e-5, 1.5374597944280349e-12])
    assert erf_inv(1 - rest) == pytest.approx([3, 5], rel=1e-5)
    # Near 0 it is x · √π/2.
    assert erf_inv(np.array([1e-20])) == pytest.approx([1e-20 * math.sqrt(PI) / 2], rel=1e-15)
