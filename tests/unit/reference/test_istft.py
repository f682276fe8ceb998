"""ISTFT, by hand."""

import numpy as np
import pytest

from reference import lookup

istft = lookup("ISTFT-16")

# Frames 3, 4 and 6, 1: their sums and differences, frame after frame.
TWO = [[7, 7], [-1, 5]]


def run(half, window, size, step, length=None, center=False, normalized=False):
    half = np.array(half, complex)
    found = istft(
        np.stack([half.real, half.imag], axis=-1),
        np.array(window, float),
        np.array(size),
        np.array(step),
        None if length is None else np.array(length),
        center=center,
        normalized=normalized,
    )
    return np.round(found, 12).tolist()


def test_frames_that_touch():
    assert run(TWO, [1, 1], 2, 2) == [3, 4, 6, 1]
    assert run(TWO, [2, 4], 2, 2) == [1.5, 1, 3, 0.25]


def test_frames_that_overlap_are_weighted_by_the_window():
    # (4·1 + 6·2) / (1·1 + 2·2) where both are.
    assert run(TWO, [2, 1], 2, 1) == [1.5, 3.2, 1]


def test_gaps_have_no_signal():
    assert run(TWO, [1, 1], 2, 3) == [3, 4, 0, 6, 1]


def test_center_leaves_out_the_half_of_a_frame():
    assert run(TWO, [2, 1], 2, 1, center=True) == [3.2]
    assert run(TWO, [1, 1], 2, 2, center=True) == [4, 6]
    # Zeros, although the last frame has one more number.
    assert run(TWO, [1, 1], 2, 2, 4, center=True) == [4, 6, 0, 0]


def test_the_length_is_cut_or_padded():
    assert run(TWO, [1, 1], 2, 2, 3) == [3, 4, 6]
    assert run(TWO, [1, 1], 2, 2, [6]) == [3, 4, 6, 1, 0, 0]


def test_odd_frames_have_no_middle():
    # (3 + 2·Re(3i·e^(2πin/3))) / 3 = 1 - 2·sin(2πn/3)
    root = 3**0.5
    assert run([[3], [3j]], [1, 1, 1], 3, 1) == np.round([1, 1 - root, 1 + root], 12).tolist()


def test_normalized_numbers_were_divided_by_the_root_of_the_size():
    assert run([[[4], [0], [0]]], [1] * 4, 4, 1, normalized=True) == [[2, 2, 2, 2]]


def test_a_short_window_is_in_the_middle_of_a_frame():
    # 10, 2 + 2i and -2 are the half of the transform of 3, 2, 1, 4.
    assert run([[10], [2 + 2j], [-2]], [5], 4, 1) == [0, 0.2 * 2, 0, 0]


@pytest.mark.parametrize(
    "window, size, step, sentence",
    [
        ([1] * 3, 2, 1, "frames must fit data"),
        ([1], 4, 1, "frames must fit data"),
        ([1], 2, 0, "frames must fit data"),
        ([[1]], 2, 1, "ranks must be"),
    ],
)
def test_rules(window, size, step, sentence):
    with pytest.raises(ValueError, match=f"ISTFT-16: {sentence}"):
        run(TWO, window, size, step)
    with pytest.raises(ValueError, match="signal_length must not be negative, got -1"):
        run(TWO, [1], 2, 1, -1)
