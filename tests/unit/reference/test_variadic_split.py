import numpy as np
import pytest

from reference.movement.concat import concat
from reference.movement.variadic_split import variadic_split

DATA = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])


@pytest.mark.parametrize("axis", [1, -1, [1], [-1]])
@pytest.mark.parametrize("lengths", [[1, 3], [-1, 3], [1, -1]])
def test_columns(axis, lengths):
    left, right = variadic_split(DATA, np.array(axis), np.array(lengths))
    np.testing.assert_array_equal(left, [[1], [5]])
    np.testing.assert_array_equal(right, [[2, 3, 4], [6, 7, 8]])


def test_rows():
    top, bottom = variadic_split(DATA, np.array(0), np.array([1, 1], np.uint8))
    assert (top.tolist(), bottom.tolist()) == ([[1, 2, 3, 4]], [[5, 6, 7, 8]])


def test_a_length_of_zero_is_an_empty_piece():
    pieces = variadic_split(DATA, np.array(1), np.array([0, 4, -1]))
    assert [piece.shape for piece in pieces] == [(2, 0), (2, 4), (2, 0)]


@pytest.mark.parametrize("lengths,first", [([1, 2, 3], [1, 2, 3]), ([-1, 2], [4, 2])])
def test_shapes_of_the_page_examples(lengths, first):
    pieces = variadic_split(np.zeros((6, 12, 10, 24), np.int8), np.array(0), np.array(lengths))
    assert [piece.shape for piece in pieces] == [(size, 12, 10, 24) for size in first]


def test_concat_undoes_it():
    state = np.random.RandomState(2)
    for _ in range(20):
        lengths = state.randint(0, 4, state.randint(1, 6))
        data = state.randint(0, 99, (2, lengths.sum(), 3))
        pieces = variadic_split(data, np.array(1), lengths)
        assert len(pieces) == len(lengths)
        np.testing.assert_array_equal(concat(*pieces, axis=1), data)


def test_what_the_page_forbids():
    with pytest.raises(ValueError, match=r"VariadicSplit-1: .*axis must be in \[-2, 2\), got 2"):
        variadic_split(DATA, np.array(2), np.array([1, 3]))
