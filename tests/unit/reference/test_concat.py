import ml_dtypes
import numpy as np
import pytest

from reference.movement.concat import concat

A = np.array([[1, 2], [3, 4]])
B = np.array([[5], [6]])


@pytest.mark.parametrize("axis", [1, -1])
def test_along_the_last_axis(axis):
    np.testing.assert_array_equal(concat(A, B, axis=axis), [[1, 2, 5], [3, 4, 6]])


@pytest.mark.parametrize("axis", [0, -2])
def test_along_the_first_axis(axis):
    np.testing.assert_array_equal(concat(A, B.T, axis=axis), [[1, 2], [3, 4], [5, 6]])


def test_one_tensor_is_itself():
    np.testing.assert_array_equal(concat(A, axis=0), A)


@pytest.mark.parametrize("axis", [1, -3])
def test_shape_of_the_page_examples(axis):
    parts = [np.zeros((1, size, 50, 50), np.float32) for size in (8, 16, 32)]
    assert concat(*parts, axis=axis).shape == (1, 56, 50, 50)


def test_parts_come_back_by_slicing():
    state = np.random.RandomState(3)
    parts = [state.randint(0, 9, (2, size, 3)).astype(ml_dtypes.bfloat16) for size in (2, 0, 4, 1)]
    whole = concat(*parts, axis=-2)
    assert whole.dtype == ml_dtypes.bfloat16
    for part, back in zip(parts, np.split(whole, [2, 2, 6], axis=1), strict=True):
        np.testing.assert_array_equal(back, part)


def test_ends_of_int64_survive():
    ends = np.array([-(2**63), 2**63 - 1])
    assert concat(ends, ends[:1], axis=0).tolist() == [-(2**63), 2**63 - 1, -(2**63)]


@pytest.mark.parametrize(
    "data,axis,message",
    [
        ([], 0, "must be tensors of rank 1 or more, got"),
        ([np.array(1), np.array(2)], 0, "must be tensors of rank 1 or more, got"),
        ([A, B], 2, r"Concat-1: axis must be in \[-2, 2\)"),
        ([A, B], -3, r"Concat-1: axis must be in \[-2, 2\)"),
    ],
)
def test_what_the_page_forbids(data, axis, message):
    with pytest.raises(ValueError, match=message):
        concat(*data, axis=axis)
