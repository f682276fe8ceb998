"""Activations: values worked by hand, both sides of each boundary, and what breaks a rule."""

import math

import numpy as np
import pytest

from reference import answer, compare
from reference.activation.clamp import clamp
from reference.activation.elu import elu
from reference.activation.gelu import gelu_2
from reference.activation.hard_sigmoid import hard_sigmoid
from reference.activation.hsigmoid import hsigmoid
from reference.activation.hswish import hswish
from reference.activation.identity import identity
from reference.activation.mish import mish
from reference.activation.prelu import prelu
from reference.activation.relu import relu
from reference.activation.selu import selu
from reference.activation.sigmoid import sigmoid
from reference.activation.soft_max import soft_max_1
from reference.activation.soft_sign import soft_sign
from reference.activation.swish import swish

LOG_2, LOG_3 = math.log(2), math.log(3)


def reals(*values):
    return np.array(values, np.float64)


def number(value):
    return np.array(value, np.float64)


def test_clamp():
    data = reals(-2, -1.5, -1, 0, 2.25, 2.5)
    assert clamp(data, min=-1.5, max=2.25).tolist() == [-1.5, -1.5, -1, 0, 2.25, 2.25]
    assert clamp(reals(5, 10, 11, 51), min=10, max=50).tolist() == [10, 10, 11, 50]


def test_ends_of_a_clamp_of_integers_are_rounded_inwards():
    data = np.array([-3, -2, -1, 0, 1, 2, 3], np.int8)
    found = clamp(data, min=-1.5, max=2.75)
    assert found.dtype == np.int8
    assert found.tolist() == [-1, -1, -1, 0, 1, 2, 2]
    assert clamp(data, min=-1000.0, max=1e30).tolist() == data.tolist()
    assert clamp(np.array([0, 1, 5], np.uint8), min=-1.5, max=2.25).tolist() == [0, 1, 2]
    large = np.array([2**53 + 1, -(2**63)])
    assert clamp(large, min=-1e20, max=1e20).tolist() == large.tolist()


def test_elu_and_selu():
    # e^(-log 2) - 1 = -1/2
    data = reals(-LOG_2, 0, 2, -1000)
    assert elu(data, alpha=1.5) == pytest.approx([-0.75, 0, 2, -1.5])
    assert elu(data, alpha=0.0).tolist() == [0, 0, 2, 0]
    assert elu(reals(-1e-20), alpha=1.0).tolist() == [-1e-20]
    assert selu(data, reals(1.5), reals(1.25)) == pytest.approx([-0.9375, 0, 2.5, -1.875])
    assert selu(number(2), reals(1.5), reals(1.25)).shape == ()
    # Scalars, which models have, are as good as the page's [1].
    assert selu(data, number(1.5), number(1.25)) == pytest.approx([-0.9375, 0, 2.5, -1.875])
    (expected,) = answer("Selu-1", [data, number(1.5), number(1.25)], {})
    assert compare(expected, expected.value).wrong == 0


def test_the_page_of_gelu_2_admits_both_formulas():
    # x/2 · (1 + erf(√2/2)) for x = 1: erf(0.70710678) = 0.6826894921
    assert gelu_2(reals(1, 0)) == pytest.approx([0.84134474605, 0])
    data = np.array([1.0, -1.0, 2.0], np.float32)
    # By tanh: 0.5 · (1 + tanh(0.79788456 · 1.044715)) = 0.8411919906
    tanh = np.array([0.8411919906, -0.1588080094, 1.9545976940], np.float32)
    (expected,) = answer("Gelu-2", [data], {}, ["f32"])
    assert compare(expected.chosen([tanh]), tanh).wrong == 0
    assert compare(expected.chosen([tanh * 1.0001]), np.float32(tanh * 1.0001)).wrong == 3
    erf = gelu_2(data).astype(np.float32)
    assert compare(expected.chosen([erf]), erf).wrong == 0


def test_hard_ones_turn_at_three():
    data = reals(-4, -3, -1.5, 0, 1.5, 3, 4)
    assert hsigmoid(data) == pytest.approx([0, 0, 0.25, 0.5, 0.75, 1, 1])
    assert hswish(data) == pytest.approx([0, 0, -0.375, 0, 1.125, 3, 4])


def test_hard_sigmoid():
    data = reals(-3, -2, -1, 0, 1, 2, 3)
    found = hard_sigmoid(data, number(0.25), number(0.5))
    assert found.tolist() == [0, 0, 0.25, 0.5, 0.75, 1, 1]
    assert hard_sigmoid(data, number(-1), number(0.5)).tolist() == [1, 1, 1, 0.5, 0, 0, 0]
    with pytest.raises(ValueError, match="alpha must be a scalar"):
        hard_sigmoid(data, reals(0.25), number(0.5))


def test_sigmoid_and_swish_of_logarithms():
    # 1 / (1 + 1/3) = 3/4
    assert sigmoid(reals(LOG_3, -LOG_3, 0)) == pytest.approx([0.75, 0.25, 0.5])
    assert swish(reals(LOG_3, -LOG_3, 0)) == pytest.approx([0.75 * LOG_3, -0.25 * LOG_3, 0])
    # 1 / (1 + 1/9) = 9/10
    assert swish(reals(LOG_3), number(2)) == pytest.approx([0.9 * LOG_3])
    assert swish(reals(5, -5), number(0)).tolist() == [2.5, -2.5]


def test_mish_and_soft_sign():
    # tanh(log 2) = 0.6, tanh(log 3) = 0.8, where 1 + e^x is 2 and 3
    assert mish(reals(0, LOG_2)) == pytest.approx([0, 0.8 * LOG_2])
    assert mish(reals(1000)).tolist() == [1000]
    assert mish(reals(-1000))[0] == 0
    assert soft_sign(reals(0, 1, -3, 7)).tolist() == [0, 0.5, -0.75, 0.875]


def test_relu_and_identity():
    assert relu(reals(-1, -0.0, 0, 2.5)).tolist() == [0, 0, 0, 2.5]
    assert relu(np.array([-128, 0, 127], np.int8)).tolist() == [0, 0, 127]
    data = np.array([-0.0, np.nan], np.float32)
    assert identity(data).tobytes() == data.tobytes()


def test_slopes_of_prelu():
    data = reals([[-1, 2], [-3, 4]], [[-5, -6], [7, -8]])
    assert prelu(data, reals(0.5)).tolist() == [[[-0.5, 2], [-1.5, 4]], [[-2.5, -3], [7, -4]]]
    # One for each element of the second dimension, not of the last one.
    assert prelu(data, reals(0.5, 2)).tolist() == [[[-0.5, 2], [-6, 4]], [[-2.5, -3], [7, -16]]]
    last = reals([0.5, 2]).reshape(1, 2)
    assert prelu(data, last).tolist() == [[[-0.5, 2], [-1.5, 4]], [[-2.5, -12], [7, -16]]]


@pytest.mark.parametrize(
    "name", ["Clamp-1", "ReLU-1", "PReLU-1", "Elu-1", "HSigmoid-5", "HSwish-4"]
)
def test_pages_say_nothing_of_nan_in_a_comparison(name):
    given = {"Clamp-1": {"min": -1, "max": 1}, "Elu-1": {"alpha": 1.0}}.get(name, {})
    inputs = [np.array([np.nan, 0.5], np.float32)] + [np.ones(1, np.float32)] * (name == "PReLU-1")
    (expected,) = answer(name, inputs, given)
    assert np.isposinf(np.broadcast_to(expected.bound, 2)).tolist() == [True, False]


def test_soft_max_1_counts_its_axis_from_0():
    data = np.log(reals([1, 3], [2, 6]))
    assert soft_max_1(data) == pytest.approx(reals([0.25, 0.75], [0.25, 0.75]))
    assert soft_max_1(data, axis=0) == pytest.approx(reals([1 / 3] * 2, [2 / 3] * 2))
    with pytest.raises(ValueError, match="axis must not be negative"):
        soft_max_1(data, axis=-1)
