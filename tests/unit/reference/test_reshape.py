import numpy as np
import pytest

from reference.shape.reshape import reshape


def shape_of(data_shape, shape, special_zero):
    data = np.arange(np.prod(data_shape)).reshape(data_shape)
    reshaped = reshape(data, np.array(shape, np.int64), special_zero=special_zero)
    np.testing.assert_array_equal(reshaped.reshape(-1), data.reshape(-1))
    return reshaped.shape


def test_order_of_elements():
    data = np.array([[1, 2, 3], [4, 5, 6]])
    assert reshape(data, np.array([3, 2]), special_zero=False).tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(
    "data,shape,special_zero,result",
    [
        ((2, 5, 5, 0), [0, 4], False, (0, 4)),
        ((2, 5, 5, 24), [0, -1, 4], True, (2, 150, 4)),
        ((2, 2, 3), [0, 0, 1, -1], True, (2, 2, 1, 3)),
        ((3, 1, 1), [-1, 0], True, (3, 1)),
        ((3, 1, 1), [0, -1], True, (3, 1)),
    ],
)
def test_examples_of_the_page(data, shape, special_zero, result):
    assert shape_of(data, shape, special_zero) == result


def test_zero_copies_the_dimension_at_its_own_place():
    assert shape_of((2, 3, 4), [6, 1, 0], True) == (6, 1, 4)
    assert shape_of((2, 3, 4), [8, 0], True) == (8, 3)


def test_empty():
    assert shape_of((2, 0), [3, -1], False) == (3, 0)
    assert shape_of((2, 0), [7, 0], False) == (7, 0)
    assert shape_of((2, 0), [0, 0, 5], True) == (2, 0, 5)


def test_scalar():
    assert shape_of((1, 1), [], True) == ()
    assert shape_of((), [-1, 1], False) == (1, 1)


@pytest.mark.parametrize(
    "shape,special_zero,message",
    [
        ([-2, 3], True, "a dimension must be 0 or more"),
        ([4, -1], True, r"6 elements must give a whole -1 in \[4, -1\]"),
        ([0, -1], False, "6 elements must give a whole -1"),
        ([2, 3, 0], True, r"shape\[2\] = 0 must copy one of 2 dimensions"),
    ],
)
def test_what_the_page_forbids(shape, special_zero, message):
    with pytest.raises(ValueError, match=f"Reshape-1: .*{message}"):
        reshape(np.zeros((2, 3)), np.array(shape, np.int64), special_zero=special_zero)
