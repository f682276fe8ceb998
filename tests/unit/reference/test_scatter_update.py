import ml_dtypes
import numpy as np
import pytest

from reference.movement.gather import gather_7
from reference.movement.scatter_update import scatter_update

DATA = np.array([[-1, 1, -1, 3, 4], [-1, 6, -1, 8, 9], [-1, 11, 1, 13, 14]], np.float32)
UPDATES = np.array([[1, 1], [1, 1], [1, 2]], np.float32)


@pytest.mark.parametrize("axis", [1, -1, [1], [-1]])
def test_columns(axis):
    output = scatter_update(DATA, np.array([0, 2]), UPDATES, np.array(axis))
    np.testing.assert_array_equal(output, [[1, 1, 1, 3, 4], [1, 6, 1, 8, 9], [1, 11, 2, 13, 14]])
    assert output.dtype == np.float32


def test_indices_of_no_dimension_take_the_axis_away():
    output = scatter_update(DATA, np.array(1), np.arange(5), np.array(0))
    np.testing.assert_array_equal(output, [DATA[0], np.arange(5), DATA[2]])


def test_indices_of_two_dimensions():
    data = np.zeros((2, 5, 2), int)
    updates = np.arange(1, 17).reshape(2, 2, 2, 2)
    output = scatter_update(data, np.array([[3, 0], [1, 4]]), updates, np.array(1))
    np.testing.assert_array_equal(output[0], [[3, 4], [5, 6], [0, 0], [1, 2], [7, 8]])
    np.testing.assert_array_equal(output[1], [[11, 12], [13, 14], [0, 0], [9, 10], [15, 16]])


def test_many_updates_of_one_place():
    updates = np.array([[7, 8, 7, 9], [4, 5, 4, 6]])
    output = scatter_update(np.zeros((2, 4), int), np.array([3, 0, 3, 1]), updates, np.array(1))
    np.testing.assert_array_equal(output, [[8, 9, 0, 7], [5, 6, 0, 4]])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_what_was_written_is_gathered_again(axis):
    data = np.arange(60).reshape(3, 4, 5)
    indices = np.array([2, 0])
    updates = -gather_7(data, indices, np.array(axis)) - 1
    output = scatter_update(data, indices, updates, np.array(axis))
    np.testing.assert_array_equal(gather_7(output, indices, np.array(axis)), updates)
    others = np.setdiff1d(np.arange(data.shape[axis]), indices)
    np.testing.assert_array_equal(output.take(others, axis), data.take(others, axis))


@pytest.mark.parametrize(
    "data",
    [
        np.array([np.nan, -0.0, 1], ml_dtypes.bfloat16),
        np.array([2**63 - 1, -(2**63), 0]),
        np.array([2**64 - 1, 0, 1], np.uint64),
    ],
)
def test_every_type_keeps_its_bits(data):
    output = scatter_update(data, np.array([1, 0], np.uint8), data[:2], np.array(0))
    assert output.dtype == data.dtype
    assert output.tobytes() == data[[1, 0, 2]].tobytes()


def test_data_is_not_changed():
    data = DATA.copy()
    scatter_update(data, np.array([0, 2]), UPDATES, np.array(1))
    np.testing.assert_array_equal(data, DATA)


def test_errors():
    with pytest.raises(ValueError, match=r"axis must be in \[-2, 2\), got 2"):
        scatter_update(DATA, np.array([0, 2]), UPDATES, np.array(2))
