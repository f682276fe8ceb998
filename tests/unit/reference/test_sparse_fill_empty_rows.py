"""SparseFillEmptyRows, by hand."""

import numpy as np
import pytest

from reference import lookup

fill = lookup("SparseFillEmptyRows-16")


def filled(values, dense_shape, indices, default_value=-1.0):
    """The outputs as lists."""
    outputs = fill(
        np.array(values, np.float32),
        np.array(dense_shape),
        np.array(indices, np.int64).reshape(-1, 2),
        np.array(default_value, np.float32),
    )
    return [each.tolist() for each in outputs]


def test_the_page():
    """Its first example, with numbers for letters: rows 1 and 4 of 5 are empty."""
    assert filled([1, 2, 3, 4], [5, 6], [[0, 1], [0, 3], [2, 0], [3, 1]]) == [
        [[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]],
        [1, 2, -1, 3, 4, -1],
        [False, True, False, False, True],
    ]


def test_the_output_is_in_row_major_order():
    assert filled([1, 2, 3], [4, 9], [[3, 8], [0, 5], [0, 2]]) == [
        [[0, 2], [0, 5], [1, 0], [2, 0], [3, 8]],
        [3, 2, -1, -1, 1],
        [False, True, True, False],
    ]


def test_nothing_and_everything():
    assert filled([], [2, 3], []) == [[[0, 0], [1, 0]], [-1, -1], [True, True]]
    assert filled([], [0, 3], []) == [[], [], []]
    assert filled([7, 8], [2, 3], [[0, 2], [1, 1]]) == [[[0, 2], [1, 1]], [7, 8], [False, False]]


def test_types_stay():
    outputs = fill(
        np.array([3], np.uint8),
        np.array([2, 1], np.int32),
        np.array([[1, 0]], np.int32),
        np.uint8(9),
    )
    assert [each.dtype for each in outputs] == [np.int32, np.uint8, np.bool_]
    assert outputs[1].tolist() == [9, 3]


def test_rules():
    with pytest.raises(ValueError, match="dense_shape must be two sizes"):
        filled([1], [2, 3, 4], [[0, 1]])
