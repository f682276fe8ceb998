import numpy as np
import pytest

from reference.movement.shuffle_channels import shuffle_channels


def test_by_hand():
    # Three groups of two channels: (0 1) (2 3) (4 5).
    data = np.arange(6)
    assert shuffle_channels(data, axis=0, group=3).tolist() == [0, 2, 4, 1, 3, 5]
    assert shuffle_channels(data, axis=-1, group=2).tolist() == [0, 3, 1, 4, 2, 5]


def test_as_the_page_does_it():
    n, c, h, w, group = 2, 6, 3, 4, 3
    x = np.arange(n * c * h * w).reshape(n, c, h, w)
    y = x.reshape(n, group, c // group, h * w).transpose(0, 2, 1, 3).reshape(n, c, h, w)
    np.testing.assert_array_equal(shuffle_channels(x, group=group), y)
    moved = np.moveaxis(shuffle_channels(np.moveaxis(x, 1, 3), axis=3, group=group), 3, 1)
    np.testing.assert_array_equal(moved, y)


def test_one_group_changes_nothing():
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(shuffle_channels(x), x)
    np.testing.assert_array_equal(shuffle_channels(x, axis=2, group=4), x)


def test_the_other_factor_shuffles_back():
    x = np.random.RandomState(0).randint(-(2**60), 2**60, (2, 15, 3))
    there = shuffle_channels(x, group=5)
    assert (there != x).any()
    np.testing.assert_array_equal(shuffle_channels(there, group=3), x)


def test_rules():
    with pytest.raises(ValueError, match=r"axis must be in \[-2, 2\), got 2"):
        shuffle_channels(np.zeros((2, 6)), axis=2)
