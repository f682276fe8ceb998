import ml_dtypes
import numpy as np
import pytest

from reference.movement.unique import unique


def lists(outputs):
    return [output.tolist() for output in outputs]


DATA = np.array([[5, 3, 5], [1, 3, 5]])


def test_elements_in_order_of_occurrence():
    assert lists(unique(DATA, sorted=False)) == [
        [5, 3, 1],
        [0, 1, 3],
        [0, 1, 0, 2, 1, 0],
        [3, 2, 1],
    ]


def test_elements_sorted_is_the_default():
    expected = [[1, 3, 5], [3, 1, 0], [2, 1, 2, 0, 1, 2], [1, 2, 3]]
    assert lists(unique(DATA)) == expected
    assert lists(unique(DATA, sorted=True)) == expected


@pytest.mark.parametrize("axis", [0, -2, [0], [-2]])
def test_rows(axis):
    data = np.array([[2, 1], [1, 9], [2, 1], [1, 3]])
    assert lists(unique(data, np.array(axis), sorted=False)) == [
        [[2, 1], [1, 9], [1, 3]],
        [0, 1, 3],
        [0, 1, 0, 2],
        [2, 1, 1],
    ]
    assert lists(unique(data, np.array(axis))) == [
        [[1, 3], [1, 9], [2, 1]],
        [3, 1, 0],
        [2, 1, 2, 0],
        [1, 1, 2],
    ]


def test_columns():
    data = np.array([[2, 1, 2], [4, 3, 4]])
    assert lists(unique(data, np.array(1))) == [[[1, 2], [3, 4]], [1, 0], [1, 0, 1], [1, 2]]


def test_types_of_the_outputs():
    assert [o.dtype for o in unique(DATA.astype(np.uint8))] == [np.uint8] + [np.int64] * 3
    narrow = unique(DATA, index_element_type="i32", count_element_type="i32")
    assert [o.dtype for o in narrow] == [np.int64] + [np.int32] * 3
    mixed = unique(DATA, index_element_type="i32")
    assert [o.dtype for o in mixed] == [np.int64, np.int32, np.int32, np.int64]


def test_scalar_and_empty():
    assert lists(unique(np.array(7))) == [[7], [0], [0], [1]]
    assert lists(unique(np.zeros((2, 0)))) == [[], [], [], []]


def test_ends_of_int64_are_told_apart():
    ends = np.array([2**63 - 1, 2**63 - 2, -(2**63), 2**63 - 1])
    values, indices, inverse, counts = unique(ends)
    assert values.tolist() == [-(2**63), 2**63 - 2, 2**63 - 1]
    assert lists((indices, inverse, counts)) == [[2, 1, 0], [2, 1, 0, 2], [1, 1, 2]]


def test_strings_and_small_types():
    words = unique(np.array(["b", "", "b", "ß"], object))
    assert words[0].tolist() == ["", "b", "ß"]
    small = unique(np.array([3, -8, 3, 1]).astype(ml_dtypes.int4))
    assert small[0].dtype == ml_dtypes.int4
    assert small[0].astype(int).tolist() == [-8, 1, 3]


@pytest.mark.parametrize("sort", [True, False])
def test_identities_over_random_layers(sort):
    state = np.random.RandomState(7)
    for _ in range(20):
        data = state.randint(0, 3, state.randint(1, 5, state.randint(1, 4)))
        axis = state.randint(-data.ndim, data.ndim)
        values, indices, inverse, counts = unique(data, np.array(axis), sorted=sort)
        np.testing.assert_array_equal(values.take(inverse, axis), data)
        np.testing.assert_array_equal(data.take(indices, axis), values)
        np.testing.assert_array_equal(np.bincount(inverse), counts)
        assert all(inverse[:i].tolist().count(inverse[i]) == 0 for i in indices)
