import numpy as np
import pytest

from reference.movement.roll import roll

DATA = np.arange(1, 13).reshape(4, 3)


@pytest.mark.parametrize(
    "shift, axes, expected",
    [
        ([1, 2, 1], [-2, -1, 0], [[8, 9, 7], [11, 12, 10], [2, 3, 1], [5, 6, 4]]),
        (1, [0, 1], [[12, 10, 11], [3, 1, 2], [6, 4, 5], [9, 7, 8]]),
        ([1], [1], [[3, 1, 2], [6, 4, 5], [9, 7, 8], [12, 10, 11]]),
        (2**62 + 1, [0, 0, 0, 0], DATA.tolist()),
        ([], [], DATA.tolist()),
    ],
)
def test_by_hand(shift, axes, expected):
    assert roll(DATA, np.array(shift, int), np.array(axes, int)).tolist() == expected


@pytest.mark.parametrize("dtype", [object, np.bool_, np.int64])
def test_rolling_back(dtype):
    state = np.random.RandomState(1)
    data = state.randint(-(2**60), 2**60, (2, 3, 4)).astype(dtype)
    for _ in range(20):
        shift, axes = state.randint(-9, 9, 3), state.randint(-3, 3, 3)
        there = roll(data, shift, axes)
        assert there.dtype == dtype
        np.testing.assert_array_equal(roll(there, -shift, axes), data)


def test_an_empty_dimension():
    assert roll(np.zeros((2, 0)), np.array([1, 1]), np.array([0, 1])).shape == (2, 0)


def test_rules():
    with pytest.raises(ValueError, match=r"shift must have rank 0 or 1, got shape \[1, 1\]"):
        roll(DATA, np.array([[1]]), np.array([0]))
