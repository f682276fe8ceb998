"""Exp-1."""

import ml_dtypes
import numpy as np
import pytest

from reference.activation.exp import exp


def test_values():
    found = exp(np.array([[0.0, 1.0, -1.0]], np.float32))
    assert found.dtype == np.float64
    assert found == pytest.approx(np.array([[1.0, 2.718281828459045, 0.36787944117144233]]))


def test_narrow_types_do_not_overflow_in_the_reference():
    assert exp(np.array([20.0], np.float16)) == pytest.approx([485165195.4097903])
    assert exp(np.array([1.0], ml_dtypes.bfloat16)).dtype == np.float64


def test_infinities():
    assert exp(np.array([np.inf, -np.inf])).tolist() == [np.inf, 0.0]
    assert np.isnan(exp(np.array([np.nan]))).all()
