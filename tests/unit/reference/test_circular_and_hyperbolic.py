"""Cos, Tan, Cosh, Sinh: values worked by hand, and integers."""

import math

import numpy as np
import pytest

from reference.arithmetic.cos import cos
from reference.arithmetic.cosh import cosh
from reference.arithmetic.sinh import sinh
from reference.arithmetic.tan import tan

PI = math.pi


def test_angles_of_the_unit_circle():
    angles = np.array([0, PI / 3, PI / 4, PI / 2, PI, -PI / 3])
    assert cos(angles) == pytest.approx([1, 0.5, math.sqrt(0.5), 0, -1, 0.5], abs=1e-15)
    assert tan(angles[[0, 1, 2, 5]]) == pytest.approx(
        [0, math.sqrt(3), 1, -math.sqrt(3)], abs=1e-15
    )


def test_the_numbers_that_the_page_of_tan_prints():
    printed = [0.0, 0.25534192, -0.25534192, 0.54630249, -0.54630249]
    assert tan(np.array([0, 0.25, -0.25, 0.5, -0.5])) == pytest.approx(printed, abs=5e-9)
    assert tan(np.array([-2, -1, 0, 1, 2], np.int32)).tolist() == [2, -2, 0, 2, -2]


def test_a_far_angle_is_reduced_by_whole_turns():
    # 100000 is 15915 turns and 3.1055...; 31831 half turns less π
    rest = 100_000 - 15_915 * 2 * PI
    assert cos(np.array([1e5])) == pytest.approx([math.cos(rest)], abs=1e-10)
    assert tan(np.array([1e5])) == pytest.approx([math.tan(rest)], abs=1e-10)


def test_hyperbolic_functions_of_logarithms():
    # (2 ± 1/2) / 2, (3 ± 1/3) / 2
    data = np.log([1.0, 2.0, 0.5, 3.0])
    assert cosh(data) == pytest.approx([1, 1.25, 1.25, 5 / 3])
    assert sinh(data) == pytest.approx([0, 0.75, -0.75, 4 / 3])
    assert sinh(np.array([1e-20])).tolist() == [1e-20]


def test_integers_are_rounded_to_the_nearest():
    # cos: 1, 0.54, -0.42, -0.99; cosh: 1, 1.54, 3.76, 74.21; sinh: 1.18, 3.63, 74.2
    assert cos(np.array([0, 1, 2, 3], np.int8)).tolist() == [1, 1, 0, -1]
    assert cosh(np.array([0, 1, -2, 5], np.int8)).tolist() == [1, 2, 4, 74]
    assert sinh(np.array([0, 1, -2, 5], np.int8)).tolist() == [0, 1, -4, 74]
    # e^20 / 2 = 242582597.7049
    assert cosh(np.array([20], np.int32)).tolist() == [242582598]
    assert sinh(np.array([-20], np.int32)).tolist() == [-242582598]
