import ml_dtypes
import numpy as np
import pytest

from reference.movement.gather_nd import gather_nd_5, gather_nd_8

SQUARE = np.array([[1, 2], [3, 4]])
BLOCK = np.arange(1, 25).reshape(2, 3, 4)
both = pytest.mark.parametrize("gather_nd", [gather_nd_5, gather_nd_8])


def check(actual, expected):
    np.testing.assert_array_equal(actual, expected)
    assert actual.shape == np.shape(expected)


@both
def test_one_tuple_alone(gather_nd):
    check(gather_nd(SQUARE, np.array([1, 0])), 3)


@both
def test_one_batch_dimension(gather_nd):
    check(gather_nd(BLOCK, np.array([[2, 3], [0, 1]]), batch_dims=1), [12, 14])


def test_three_batch_dimensions():
    data = np.arange(1, 17).reshape(1, 2, 2, 4)
    indices = np.array([1, 0, 3, 2]).reshape(1, 2, 2, 1)
    check(gather_nd_8(data, indices, batch_dims=3), [[[2, 5], [12, 15]]])
    check(gather_nd_5(data, indices, batch_dims=3), [2, 5, 12, 15])


@pytest.mark.parametrize("batch_dims", [0, 1, 2])
@pytest.mark.parametrize("length", [1, 2])
def test_the_formula_index_by_index(batch_dims, length):
    state = np.random.RandomState(length)
    data = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    sizes = data.shape[batch_dims : batch_dims + length]
    lead = (*data.shape[:batch_dims], 6)
    indices = np.stack([state.randint(0, size, lead) for size in sizes], -1)
    output = gather_nd_8(data, indices, batch_dims=batch_dims)
    assert output.shape == lead + data.shape[batch_dims + length :]
    for place in np.ndindex(*lead):
        np.testing.assert_array_equal(
            output[place], data[place[:batch_dims] + tuple(indices[place])]
        )


def test_an_empty_tuple_takes_all_of_data():
    check(gather_nd_8(SQUARE, np.zeros((3, 0), int)), [SQUARE] * 3)


def test_narrow_indices_of_a_large_block():
    data = np.arange(200 * 200).reshape(200, 200)
    check(gather_nd_8(data, np.array([[199, 198]], np.uint8)), [199 * 200 + 198])


@pytest.mark.parametrize(
    "data",
    [
        np.array([["a"], ["ß"]], object),
        np.array([[np.nan], [-0.0]], np.float64),
        np.array([[1], [3]], ml_dtypes.uint2),
        np.array([[2**63 - 1], [-(2**63)]]),
    ],
)
def test_every_type_keeps_its_bits(data):
    output = gather_nd_8(data, np.array([[1], [0]], np.uint64))
    assert output.dtype == data.dtype
    assert output.tobytes() == data[::-1].tobytes()


@both
@pytest.mark.parametrize(
    ("data", "indices", "batch_dims", "message"),
    [
        (SQUARE, [[0, 2]], 0, r"indices\[\.\.\., 1\] must be in \[(0|-2), 2\), got 2"),
        (SQUARE, [[-3, 0]], 0, r"indices\[\.\.\., 0\] .* got -3"),
        (SQUARE, [[0, 0, 0]], 0, "at most 2 items, got 3"),
        (SQUARE, [[0, 0], [0, 0]], 1, "at most 1 items, got 2"),
        (BLOCK, [[0], [0], [0]], 1, "the same batches"),
        (SQUARE, [[0]], 2, r"batch_dims must be in \[0, 2\), got 2"),
        (SQUARE, [[0]], -1, "batch_dims must be"),
        (SQUARE, 0, 0, "got a scalar"),
    ],
)
def test_errors(gather_nd, data, indices, batch_dims, message):
    with pytest.raises(ValueError, match=message):
        gather_nd(data, np.array(indices), batch_dims=batch_dims)


def test_negative_indices_count_from_the_end_in_version_8_alone():
    indices = np.array([[-1, -4], [0, -1], [-2, 2]])
    check(gather_nd_8(BLOCK[0], indices), [9, 4, 7])
    check(gather_nd_8(BLOCK, np.array([[-1], [-3]]), batch_dims=1), [BLOCK[0, 2], BLOCK[1, 0]])
    with pytest.raises(ValueError, match=r"must be in \[0, 3\), got -1"):
        gather_nd_5(BLOCK[0], indices)
