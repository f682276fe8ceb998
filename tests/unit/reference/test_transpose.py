import numpy as np

from reference.movement.transpose import transpose


def test_the_formula_by_hand():
    arg = np.array([[[1, 2, 3], [4, 5, 6]]])  # [1, 2, 3]
    moved = transpose(arg, np.array([2, 0, 1]))
    np.testing.assert_array_equal(moved, [[[1, 4]], [[2, 5]], [[3, 6]]])


def test_the_formula_index_by_index():
    arg = np.arange(24).reshape(2, 3, 4)
    order = [1, 2, 0]
    moved = transpose(arg, np.array(order))
    assert moved.shape == (3, 4, 2)
    for index in np.ndindex(arg.shape):
        assert moved[tuple(index[axis] for axis in order)] == arg[index]


def test_empty_order_inverts_the_axes():
    arg = np.arange(24).reshape(2, 3, 4)
    inverted = transpose(arg, np.array([], np.int64))
    assert inverted.shape == (4, 3, 2)
    assert inverted[3, 1, 0] == arg[0, 1, 3]


def test_scalar_is_itself():
    assert transpose(np.array(7), np.array([], np.int64)) == 7


def test_inverse_order_gives_back():
    state = np.random.RandomState(5)
    for rank in range(1, 7):
        arg = state.randint(0, 100, state.randint(1, 5, rank))
        order = state.permutation(rank)
        back = transpose(transpose(arg, order), np.argsort(order))
        np.testing.assert_array_equal(back, arg)


def test_strings_stay_objects():
    moved = transpose(np.array([["a", "b"], ["c", ""]], object), np.array([1, 0]))
    assert moved.dtype == object
    assert moved.tolist() == [["a", "c"], ["b", ""]]
