"""STFT, by hand."""

import numpy as np

from reference import lookup

stft = lookup("STFT-15")


def run(signal, window, size, step, transposed=False):
    found = stft(
        np.array(signal, float),
        np.array(window, float),
        np.array(size),
        np.array(step),
        transpose_frames=transposed,
    )
    return found[..., 0] + 1j * found[..., 1]


def test_frames_of_two():
    # Sum and difference of 1, 2 and of 3, 4; the fifth number is in no frame.
    np.testing.assert_allclose(run([1, 2, 3, 4, 5], [1, 1], 2, 2), [[3, -1], [7, -1]], atol=1e-14)
    np.testing.assert_allclose(run([1, 2, 3], [10, 1], 2, 1), [[12, 8], [23, 17]], atol=1e-14)


def test_transposed_frames():
    found = run([[1, 2, 3], [4, 5, 6]], [10, 1], 2, 1, True)
    np.testing.assert_allclose(found, [[[12, 23], [8, 17]], [[45, 56], [35, 44]]], atol=1e-13)


def test_a_short_window_is_in_the_middle_of_a_frame():
    # Three zeros: one before, two behind. 20·(-i), of four numbers 1, 2, 3, 4 with the window 0, 10, 0, 0.
    np.testing.assert_allclose(run([1, 2, 3, 4], [10], 4, 1), [[20, -20j, -20]], atol=1e-14)
