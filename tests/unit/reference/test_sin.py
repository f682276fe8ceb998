"""Sin-1: values worked by hand, and integers."""

import math

import numpy as np
import pytest

from reference.arithmetic.sin import sin


def test_angles_of_the_unit_circle():
    found = sin(np.array([0.0, math.pi / 6, math.pi / 4, math.pi / 2, -math.pi / 2]))
    assert found == pytest.approx([0.0, 0.5, math.sqrt(0.5), 1.0, -1.0], abs=1e-15)


def test_the_series_of_a_small_angle():
    x = 0.5
    series = x - x**3 / 6 + x**5 / 120 - x**7 / 5040 + x**9 / 362880
    assert sin(np.array([x, -x])) == pytest.approx([series, -series], abs=2e-11)
    assert sin(np.array([1e-20])).tolist() == [1e-20]


def test_a_far_angle_is_reduced_by_whole_turns():
    # 50 is 8 turns less 0.26548245743669...
    assert sin(np.array([50.0])) == pytest.approx([math.sin(50 - 16 * math.pi)], abs=1e-14)
    assert sin(np.array([50.0], np.float32)) == pytest.approx([-0.2623748537], abs=1e-9)


def test_infinity_has_no_sine():
    with np.errstate(invalid="ignore"):
        assert np.isnan(sin(np.array([np.inf, -np.inf, np.nan]))).all()


def test_integers_are_rounded():
    # sin 1 = 0.84, sin 2 = 0.91, sin 3 = 0.14, sin 4 = -0.76
    found = sin(np.array([-1, 0, 1, 2, 3, 4], np.int8))
    assert found.dtype == np.int8
    assert found.tolist() == [-1, 0, 1, 1, 0, -1]
