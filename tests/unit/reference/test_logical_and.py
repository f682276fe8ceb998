import numpy as np
import pytest

from reference.logical.logical_and import logical_and


def test_truth_table():
    found = logical_and(np.array([False, False, True, True]), np.array([False, True, False, True]))
    assert found.dtype == bool
    assert found.tolist() == [False, False, False, True]


def test_broadcasting():
    a, b = np.array([[True], [False]]), np.array([True, False])
    assert logical_and(a, b).tolist() == [[True, False], [False, False]]
    assert logical_and(b, a).tolist() == [[True, False], [False, False]]
    square = np.array([[True, True], [True, False]])
    assert logical_and(square, b, auto_broadcast="pdpd").tolist() == [[True, False], [True, False]]


def test_what_the_page_forbids():
    a, b = np.array([[True], [False]]), np.array([True, False])
    with pytest.raises(ValueError, match="shapes must be the same without broadcasting"):
        logical_and(a, b, auto_broadcast="none")
    with pytest.raises(ValueError, match="must be a part of"):
        logical_and(b, a, auto_broadcast="pdpd")
