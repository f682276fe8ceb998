import numpy as np
import pytest

from reference.movement.concat import concat
from reference.movement.split import split

DATA = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])


@pytest.mark.parametrize("axis", [1, -1])
def test_columns(axis):
    left, right = split(DATA, np.array(axis), num_splits=2)
    np.testing.assert_array_equal(left, [[1, 2], [5, 6]])
    np.testing.assert_array_equal(right, [[3, 4], [7, 8]])


@pytest.mark.parametrize("axis", [0, -2])
def test_rows(axis):
    top, bottom = split(DATA, np.array(axis), num_splits=2)
    np.testing.assert_array_equal(top, [[1, 2, 3, 4]])
    np.testing.assert_array_equal(bottom, [[5, 6, 7, 8]])


def test_one_piece_is_everything():
    (whole,) = split(DATA, np.array(1), num_splits=1)
    np.testing.assert_array_equal(whole, DATA)


def test_shape_of_the_page_example():
    pieces = split(np.zeros((6, 12, 10, 24), np.int8), np.array(1), num_splits=3)
    assert [piece.shape for piece in pieces] == [(6, 4, 10, 24)] * 3


def test_concat_undoes_it():
    data = np.random.RandomState(1).randint(-9, 9, (2, 12, 3))
    for num_splits in (1, 2, 3, 4, 6, 12):
        pieces = split(data, np.array(-2), num_splits=num_splits)
        assert len(pieces) == num_splits
        np.testing.assert_array_equal(concat(*pieces, axis=1), data)


def test_what_the_page_forbids():
    with pytest.raises(ValueError, match="Split-1: axis must have rank 0"):
        split(DATA, np.array([1]), num_splits=2)
