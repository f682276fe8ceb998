import ml_dtypes
import numpy as np
import pytest

from reference.movement.gather_elements import gather_elements


def test_more_indices_than_data():
    indices = np.array([[1, 1, 0], [1, 0, 1]])
    output = gather_elements(np.array([[1, 7], [4, 3]]), indices, axis=-1)
    np.testing.assert_array_equal(output, [[7, 7, 1], [3, 4, 3]])


def test_fewer_indices_than_data():
    data = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    output = gather_elements(data, np.array([[1, 0, 1], [1, 2, 0]]), axis=-2)
    np.testing.assert_array_equal(output, [[4, 2, 6], [4, 8, 3]])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_formula_index_by_index(axis):
    state = np.random.RandomState(axis)
    data = np.arange(60).reshape(3, 4, 5)
    shape = [3, 4, 5]
    shape[axis] = 6
    indices = state.randint(0, data.shape[axis], shape)
    output = gather_elements(data, indices, axis=axis)
    for place in np.ndindex(*shape):
        source = list(place)
        source[axis] = indices[place]
        assert output[place] == data[tuple(source)]


@pytest.mark.parametrize("axis", [0, 1])
def test_indices_in_order_give_the_data_back(axis):
    data = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(
        gather_elements(data, np.indices(data.shape)[axis], axis=axis), data
    )


@pytest.mark.parametrize(
    "data",
    [
        np.array(["a", "ß"], object),
        np.array([np.nan, -0.0], np.float32),
        np.array([0.5, 3], ml_dtypes.float4_e2m1fn),
        np.array([2**63 - 1, -(2**63)]),
    ],
)
def test_every_type_keeps_its_bits(data):
    output = gather_elements(data, np.array([1, 0], np.int32), axis=0)
    assert output.dtype == data.dtype
    assert output.tobytes() == data[::-1].tobytes()


def test_errors():
    with pytest.raises(ValueError, match=r"axis must be in \[-2, 2\), got 2"):
        gather_elements(np.ones((2, 3)), np.array([[0, 0, 0]]), axis=2)


def test_a_scalar_is_refused():
    with pytest.raises(ValueError, match="rank 1 or more"):
        gather_elements(np.array(1), np.array(0), axis=0)


def test_negative_indices_count_from_the_end():
    data = np.array([[1, 2, 3], [4, 5, 6]])
    indices = np.array([[-1, 0, -3], [-2, -1, 2]])
    assert gather_elements(data, indices, axis=1).tolist() == [[3, 1, 1], [5, 6, 6]]
    assert gather_elements(data, np.array([[-1, -2, 0]]), axis=0).tolist() == [[4, 2, 3]]
