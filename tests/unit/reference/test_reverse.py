import ml_dtypes
import numpy as np
import pytest

from reference.movement.reverse import reverse

DATA = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize(
    "axes, expected",
    [
        ([], [[0, 1, 2], [3, 4, 5]]),
        ([0], [[3, 4, 5], [0, 1, 2]]),
        ([1], [[2, 1, 0], [5, 4, 3]]),
        ([1, 0], [[5, 4, 3], [2, 1, 0]]),
    ],
)
def test_both_ways_to_name_axes(axes, expected):
    mask = np.array([axis in axes for axis in range(2)])
    assert reverse(DATA, np.array(axes, np.uint8), mode="index").tolist() == expected
    assert reverse(DATA, mask, mode="mask").tolist() == expected


def test_twice_is_the_same():
    for dtype in (object, ml_dtypes.bfloat16, np.int64):
        data = np.arange(24).reshape(2, 1, 3, 4).astype(dtype)
        once = reverse(data, np.array([3, 0]), mode="index")
        assert once.dtype == data.dtype
        assert (once != data).any()
        np.testing.assert_array_equal(reverse(once, np.array([0, 3]), mode="index"), data)


@pytest.mark.parametrize(
    "axis, mode, message",
    [
        (np.array([2]), "index", r"different axes in \[0, 2\), got \[2\]"),
        (np.array([-1]), "index", "different axes"),
        (np.array([0, 0]), "index", "different axes"),
        (np.array([0]), "both", "index or mask, got 'both'"),
    ],
)
def test_rules(axis, mode, message):
    with pytest.raises(ValueError, match=message):
        reverse(DATA, axis, mode=mode)
