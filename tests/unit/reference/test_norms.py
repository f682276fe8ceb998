"""GRN and NormalizeL2: data over norms by hand."""

import math

import numpy as np
import pytest

from reference.normalization.grn import grn
from reference.normalization.normalize_l2 import normalize_l2

# One image of two channels: norms of 5 and 13 without a bias.
IMAGE = np.array([[[3.0, -5.0], [4.0, 12.0]]])


def test_grn():
    found = grn(IMAGE, bias=11.0)
    # 9 + 16 + 11 = 36; 25 + 144 + 11 = 180.
    root = math.sqrt(180)
    expected = [[[0.5, -5 / root], [4 / 6, 12 / root]]]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def l2(axes, eps=11.0, eps_mode="add", data=IMAGE):
    return normalize_l2(data, np.array(axes, np.int64), eps=eps, eps_mode=eps_mode)


def test_eps_is_added_or_a_limit():
    assert l2([1])[0, 0, 0] == 0.5
    assert l2([1], eps_mode="max")[0, :, 0].tolist() == [3 / 5, 4 / 5]
    assert l2([1], eps=100.0, eps_mode="max")[0, :, 0].tolist() == [0.3, 0.4]


def test_axes_may_be_a_number_and_count_from_the_back():
    assert (l2(1) == l2([1])).all()
    assert (l2(-2) == l2([1])).all()
    # 9 + 25 + 2 = 36
    assert l2([2], eps=2.0)[0, 0].tolist() == [0.5, -5 / 6]
    # 9 + 25 + 16 + 144 + 2 = 196
    assert l2([0, 2, 1], eps=2.0)[0, 1].tolist() == [4 / 14, 12 / 14]


def test_no_axes_keep_the_sign():
    assert l2([], eps=7.0)[0, 0, 0] == 0.75
    assert l2([], eps=1.0, eps_mode="max")[0, 0].tolist() == [1, -1]


def test_errors_of_normalize_l2():
    with pytest.raises(ValueError, match="NormalizeL2-1: eps_mode must be add or max"):
        l2(axes=[1], eps_mode="mul")
