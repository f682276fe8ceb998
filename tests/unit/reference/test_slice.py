import numpy as np
import pytest

from reference.movement.slice import slice_8

TEN = np.arange(10)


def arrays(*values):
    return [np.array(value, np.int64) for value in values]


@pytest.mark.parametrize(
    "start, stop, step, expected",
    [
        (1, 8, 1, [1, 2, 3, 4, 5, 6, 7]),
        (1, 8, 2, [1, 3, 5, 7]),
        (-100, 100, 1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (9, -11, -1, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (9, 0, -1, [9, 8, 7, 6, 5, 4, 3, 2, 1]),
        (9, -10, -1, [9, 8, 7, 6, 5, 4, 3, 2, 1]),
        (9, -11, -2, [9, 7, 5, 3, 1]),
        (100, -100, -1, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (7, 2**63 - 1, 1, [7, 8, 9]),
        (2, -(2**63), -1, [2, 1, 0]),
        (2, 9, 2**63 - 1, [2]),
        (5, 5, 1, []),
        (6, 2, 1, []),
    ],
)
def test_the_examples_of_the_page(start, stop, step, expected):
    limits = arrays([start], [stop], [step])
    assert slice_8(TEN, *limits, np.array([0])).tolist() == expected
    assert slice_8(TEN, *limits).tolist() == expected


def test_two_axes():
    data = np.arange(10).reshape(2, 5)
    limits = arrays([0, 1], [2, 4], [1, 2])
    assert slice_8(data, *limits, np.array([0, 1])).tolist() == [[1, 3], [6, 8]]
    assert slice_8(data, *limits, np.array([-2, -1])).tolist() == [[1, 3], [6, 8]]
    assert slice_8(data, *limits).tolist() == [[1, 3], [6, 8]]
    # In the other order the limits are for the other axes.
    assert slice_8(data, *limits, np.array([1, 0])).tolist() == [[5, 6]]


def test_axes_that_are_not_named_are_whole():
    data = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        slice_8(data, *arrays([1], [3], [1]), np.array([1])), data[:, 1:3]
    )
    np.testing.assert_array_equal(slice_8(data, *arrays([], [], [])), data)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64])
def test_types_of_indices(dtype):
    limits = [np.array([value], dtype) for value in (2, 100, 3)]
    assert slice_8(TEN, *limits).tolist() == [2, 5, 8]
