"""SoftPlus-4: the logarithm, and the line that it may be."""

import math

import numpy as np
import pytest

from reference import answer, compare
from reference.activation.soft_plus import soft_plus


def test_values():
    x = np.array([0.0, 1.0, -1.0], np.float32)
    assert soft_plus(x) == pytest.approx(
        [math.log(2), math.log(math.e + 1), math.log1p(1 / math.e)]
    )


def test_it_does_not_overflow_or_vanish():
    found = soft_plus(np.array([1000.0, -50.0, -np.inf, np.inf]))
    assert found.tolist() == [1000.0, pytest.approx(math.exp(-50)), 0.0, np.inf]


def judged(x, came):
    came_array = np.array([came], x.dtype)
    (right,) = answer("SoftPlus-4", [x], {})
    return compare(right.chosen([came_array]), came_array)


def test_the_line_is_admitted_where_it_is_near():
    # At 14 it differs by 8.3e-7, at 13 by 2.3e-6: in f64 both are far from a bound.
    assert judged(np.array([14.0]), 14.0).wrong == 0
    assert judged(np.array([13.0]), 13.0).wrong == 1
    assert judged(np.array([14.0]), 14.0 + 4e-7).wrong == 1


def test_the_answer_is_never_negative_beyond_rounding():
    x = np.array([-14.0], np.float32)
    assert judged(x, math.log1p(math.exp(-14.0))).wrong == 0
    assert judged(x, -1.9e-6).wrong == 1
