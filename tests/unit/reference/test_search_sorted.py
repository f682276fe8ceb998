import ml_dtypes
import numpy as np
import pytest

from reference.sort.search_sorted import search_sorted


def asked(sequence, values, dtype=np.float32, **attributes):
    return search_sorted(np.array(sequence, dtype), np.array(values, dtype), **attributes).tolist()


def test_both_sides_of_equal_numbers():
    sequence, values = [1, 3, 3, 5], [0, 1, 2, 3, 5, 6]
    assert asked(sequence, values) == [0, 0, 1, 1, 3, 4]
    assert asked(sequence, values, right_mode=True) == [0, 1, 1, 3, 4, 4]


def test_one_sequence_for_any_shape():
    assert asked([1, 2], [[0], [2]]) == [[0], [1]]
    assert asked([1, 2], 3) == 2
    assert asked([], [1, 2]) == [0, 0]


def test_a_sequence_for_each_row():
    assert asked([[1, 2, 3], [4, 5, 6]], [[2, 9], [2, 5]]) == [[1, 3], [0, 1]]


def test_types():
    found = search_sorted(np.array([1, 2]), np.array([2]))
    assert found.dtype == np.int64
    assert asked([-8, 7], [7, -8], ml_dtypes.int4, right_mode=True) == [2, 1]
    assert asked([2**53, 2**53 + 1], [2**53 + 1], np.int64) == [1]


def test_other_shapes():
    with pytest.raises(ValueError, match="SearchSorted-15: "):
        asked([[1], [2]], [[1]])
