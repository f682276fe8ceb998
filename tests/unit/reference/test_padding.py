"""The padding modes and auto_pad, worked by hand."""

import numpy as np
import pytest

from reference.shared.padding import auto_padding, pad, window_size


@pytest.mark.parametrize(
    "mode, expected",
    [
        ("constant", [7, 7, 1, 2, 3, 7, 7]),
        ("edge", [1, 1, 1, 2, 3, 3, 3]),
        ("reflect", [3, 2, 1, 2, 3, 2, 1]),
        ("symmetric", [2, 1, 1, 2, 3, 3, 2]),
    ],
)
def test_each_mode_adds_at_both_ends(mode, expected):
    padded = pad(np.array([1, 2, 3], np.int8), [2], [2], mode, 7)
    assert padded.dtype == np.int8
    assert padded.tolist() == expected


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric"])
def test_cutting_off_one_end_does_not_change_what_the_other_gains(mode):
    data = np.arange(5)
    whole = pad(data, [3], [0], mode)
    assert pad(data, [3], [-4], mode).tolist() == whole[:-4].tolist()


@pytest.mark.parametrize("mode", ["constant", "edge"])
@pytest.mark.parametrize("begin", range(-7, 5))
@pytest.mark.parametrize("end", range(-7, 5))
def test_padding_then_cutting_is_padding_by_the_sum(mode, begin, end):
    data = np.arange(1, 5)
    wide = np.pad(data, 9, mode=mode)
    assert (
        pad(data, [begin], [end], mode).tolist()
        == wide[9 - begin : max(13 + end, 9 - begin)].tolist()
    )


def test_64_bits_survive():
    ends = np.array([2**63 - 1, -(2**63)])
    assert pad(ends, [1], [0], "constant", np.array(2**62 + 1)).tolist() == [
        2**62 + 1,
        *ends.tolist(),
    ]


def test_too_few_elements_to_mirror():
    with pytest.raises(ValueError, match="reflect padding of a dimension of 3 must be 2 or less"):
        pad(np.zeros(3), [3], [0], "reflect")
    with pytest.raises(ValueError, match="symmetric padding of a dimension of 3 must be 3 or less"):
        pad(np.zeros(3), [0], [4], "symmetric")
    with pytest.raises(ValueError, match="edge padding of a dimension of 0"):
        pad(np.zeros(0), [0], [1], "edge")


def test_unknown_modes():
    with pytest.raises(ValueError, match="one of constant, edge, reflect, symmetric, got 'wrap'"):
        pad(np.zeros(3), [1], [1], "wrap")
    with pytest.raises(ValueError, match="one of same_upper, same_lower, valid, got 'explicit'"):
        auto_padding("explicit", 5, 3, 1)


@pytest.mark.parametrize(
    "size, window, stride, upper",
    [
        (10, 4, 9, (1, 2)),
        (10, 3, 1, (1, 1)),
        (7, 2, 1, (0, 1)),
        (7, 2, 3, (0, 1)),
        (6, 2, 3, (0, 0)),
        (5, 1, 2, (0, 0)),
    ],
)
def test_auto_padding(size, window, stride, upper):
    assert auto_padding("same_upper", size, window, stride) == upper
    assert auto_padding("same_lower", size, window, stride) == upper[::-1]
    assert auto_padding("valid", size, window, stride) == (0, 0)


def test_a_window_with_holes():
    assert window_size(3, 1) == 3
    assert window_size(3, 4) == 9
    assert window_size(1, 4) == 1
