"""Gelu-7: both formulas of the page."""

import math

import numpy as np
import pytest

from reference.activation.gelu import gelu


def test_the_error_function():
    x = np.array([-1.0, 0.0, 0.5, 3.0], np.float32)
    by_hand = [v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()]
    assert gelu(x) == pytest.approx(by_hand, rel=1e-14)


def test_the_formula_with_tanh():
    x = np.array([-1.0, 0.0, 0.5, 3.0], np.float32)
    by_hand = [
        v * 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))
        for v in x.tolist()
    ]
    assert gelu(x, approximation_mode="tanh") == pytest.approx(by_hand, rel=1e-14)


def test_the_two_differ():
    x = np.array([2.0])
    assert gelu(x)[0] - gelu(x, approximation_mode="tanh")[0] == pytest.approx(-9.78e-5, rel=0.01)


@pytest.mark.parametrize("mode", ["erf", "tanh"])
def test_far_from_zero(mode):
    x = np.array([-np.inf, -1000.0, 1000.0, np.inf])
    with np.errstate(all="ignore"):
        assert gelu(x, approximation_mode=mode).tolist() == [0.0, 0.0, 1000.0, np.inf]


def test_tails_do_not_cancel():
    assert gelu(np.array([-8.0]))[0] == pytest.approx(-8 * math.erfc(8 / math.sqrt(2)) / 2)


def test_another_mode_is_refused():
    with pytest.raises(ValueError, match="approximation_mode must be erf or tanh, got 'sigmoid'"):
        gelu(np.zeros(1), approximation_mode="sigmoid")
