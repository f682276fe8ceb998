"""Axes counted from either end, and the shapes of the inputs that state them."""

import numpy as np
import pytest

from reference.shared.axes import normalize_axes, normalize_axis, one_number, require_rank


def test_axes_count_from_both_ends():
    assert [normalize_axis(axis, 3) for axis in (0, 2, -1, -3)] == [0, 2, 2, 0]
    assert normalize_axes(np.array([2, -3]), 3) == [2, 0]


@pytest.mark.parametrize("axis", [3, -4])
def test_an_axis_outside_the_rank(axis):
    with pytest.raises(ValueError, match=rf"Op-1: axis must be in \[-3, 3\), got {axis}"):
        normalize_axis(axis, 3, "Op-1: axis")


def test_an_axis_named_twice():
    with pytest.raises(ValueError, match=r"axes must be different axes, got \[1, 1\]"):
        normalize_axes([1, -1], 2)


def test_ranks_that_a_page_allows():
    require_rank(np.array(5), (0, 1), "axis")
    require_rank(np.array([5]), (0, 1), "axis")
    with pytest.raises(ValueError, match=r"axis must have rank 0 or 1, got shape \[1, 2\]"):
        require_rank(np.array([[5, 6]]), (0, 1), "axis")
    with pytest.raises(ValueError, match=r"axes must have rank 1, got shape \[\]"):
        require_rank(np.array(5), (1,), "axes")


def test_one_number_keeps_its_type():
    for stated in (np.array(2**63 - 1), np.array([2**63 - 1])):
        assert one_number(stated, "k") == 2**63 - 1
        assert one_number(stated, "k").dtype == np.int64


@pytest.mark.parametrize("shape", [(0,), (2,), (1, 1)])
def test_one_number_in_no_other_shape(shape):
    with pytest.raises(ValueError, match="k must be one number, a scalar or of shape"):
        one_number(np.zeros(shape, np.int64), "k")
