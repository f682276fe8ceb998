"""Pad: the arrays of pages Pad-1 and Pad-12."""

import numpy as np
import pytest

from reference.movement.pad import pad_1, pad_12

DATA = np.arange(1, 13).reshape(3, 4)

GROWN = {
    "constant": [
        [0, 1, 2, 3, 4, 0, 0, 0],
        [0, 5, 6, 7, 8, 0, 0, 0],
        [0, 9, 10, 11, 12, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ],
    "edge": [
        [1, 1, 2, 3, 4, 4, 4, 4],
        [5, 5, 6, 7, 8, 8, 8, 8],
        [9, 9, 10, 11, 12, 12, 12, 12],
        [9, 9, 10, 11, 12, 12, 12, 12],
        [9, 9, 10, 11, 12, 12, 12, 12],
    ],
    "reflect": [
        [2, 1, 2, 3, 4, 3, 2, 1],
        [6, 5, 6, 7, 8, 7, 6, 5],
        [10, 9, 10, 11, 12, 11, 10, 9],
        [6, 5, 6, 7, 8, 7, 6, 5],
        [2, 1, 2, 3, 4, 3, 2, 1],
    ],
    "symmetric": [
        [1, 1, 2, 3, 4, 4, 3, 2],
        [5, 5, 6, 7, 8, 8, 7, 6],
        [9, 9, 10, 11, 12, 12, 11, 10],
        [9, 9, 10, 11, 12, 12, 11, 10],
        [5, 5, 6, 7, 8, 8, 7, 6],
    ],
}
MIXED = {
    "constant": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [2, 3, 4, 0, 0, 0], [6, 7, 8, 0, 0, 0]],
    "edge": [[2, 3, 4, 4, 4, 4], [2, 3, 4, 4, 4, 4], [2, 3, 4, 4, 4, 4], [6, 7, 8, 8, 8, 8]],
    "reflect": [
        [10, 11, 12, 11, 10, 9],
        [6, 7, 8, 7, 6, 5],
        [2, 3, 4, 3, 2, 1],
        [6, 7, 8, 7, 6, 5],
    ],
    "symmetric": [[6, 7, 8, 8, 7, 6], [2, 3, 4, 4, 3, 2], [2, 3, 4, 4, 3, 2], [6, 7, 8, 8, 7, 6]],
}


@pytest.mark.parametrize("pad", [pad_1, pad_12])
@pytest.mark.parametrize("mode", GROWN)
def test_positive_pads(pad, mode):
    assert pad(DATA, np.array([0, 1]), np.array([2, 3]), pad_mode=mode).tolist() == GROWN[mode]


@pytest.mark.parametrize("mode", GROWN)
def test_negative_pads(mode):
    ones = np.array([-1, -1])
    assert pad_12(DATA, ones, ones, pad_mode=mode).tolist() == [[6, 7]]


@pytest.mark.parametrize("mode", MIXED)
def test_mixed_pads(mode):
    begin, end = np.array([2, -1]), np.array([-1, 3])
    assert pad_12(DATA, begin, end, pad_mode=mode).tolist() == MIXED[mode]


@pytest.mark.parametrize("pad", [pad_1, pad_12])
def test_pad_value(pad):
    data = np.array([1, 2], np.uint8)
    padded = pad(data, np.array([1]), np.array([2]), np.array(9, np.uint8), pad_mode="constant")
    assert padded.dtype == np.uint8
    assert padded.tolist() == [9, 1, 2, 9, 9]


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric"])
def test_a_pad_value_does_not_count_in_other_modes(mode):
    """The page forbids it; the formula of the mode has a meaning all the same."""
    given = (DATA, np.array([0, 1]), np.array([2, 0]))
    found = pad_12(*given, np.array(9), pad_mode=mode)
    assert np.array_equal(found, pad_12(*given, pad_mode=mode))


@pytest.mark.parametrize("mode", GROWN)
def test_more_cut_off_than_there_is(mode):
    assert pad_12(DATA, np.array([-2, -3]), np.array([-2, -3]), pad_mode=mode).shape == (0, 0)


@pytest.mark.parametrize(
    "pad, begin, end, mode, message",
    [
        (pad_1, [0], [0, 0], "edge", "Pad-1: pads_begin must have 2 elements, got 1"),
        (pad_12, [0, 0], [0, 0, 0], "edge", "Pad-12: pads_end must have 2 elements, got 3"),
        (
            pad_12,
            [0, 0],
            [0, 5],
            "wrap",
            "Pad-12: pad_mode must be constant, edge, reflect or symmetric",
        ),
    ],
)
def test_rules(pad, begin, end, mode, message):
    with pytest.raises(ValueError, match=message):
        pad(DATA, np.array(begin), np.array(end), pad_mode=mode)


def test_strings():
    data = np.array(["a", "bc"], object)
    one, two = np.array([1]), np.array([2])
    assert pad_12(data, one, two, pad_mode="constant").tolist() == ["", "a", "bc", "", ""]
    value = np.array("x", object)
    assert pad_12(data, -one, two, value, pad_mode="constant").tolist() == ["bc", "x", "x"]
