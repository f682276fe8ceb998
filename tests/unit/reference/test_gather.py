import ml_dtypes
import numpy as np
import pytest

from reference.movement.gather import gather_1, gather_7, gather_8

ROW = np.array([1, 2, 3, 4, 5])
TWO_ROWS = np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])


def check(actual, expected):
    np.testing.assert_array_equal(actual, expected)
    assert actual.shape == np.shape(expected)


def test_gather_1_follows_its_formula_index_by_index():
    data = np.arange(24).reshape(2, 4, 3)
    indices = np.array([[3, 0], [1, 1], [2, 3], [0, 0], [1, 2]])
    output = gather_1(data, indices, np.array(1))
    assert output.shape == (2, 5, 2, 3)
    for p, i, j, q in np.ndindex(output.shape):
        assert output[p, i, j, q] == data[p, indices[i, j], q]


@pytest.mark.parametrize("gather", [gather_1, gather_7, gather_8])
def test_without_batches(gather):
    check(gather(ROW, np.array([0, 0, 4]), np.array(0)), [1, 1, 5])
    check(gather(ROW, np.array(3), np.array([0])), 4)
    check(gather(TWO_ROWS, np.array([4, 1]), np.array(-1)), [[5, 2], [10, 7]])
    check(gather(TWO_ROWS, np.array([1]), np.array([-2])), [[6, 7, 8, 9, 10]])


def test_as_many_batch_dimensions_as_indices_has():
    check(gather_8(TWO_ROWS, np.array([4, 0]), np.array(1), batch_dims=1), [5, 6])


def test_indices_from_the_end_and_beyond():
    check(gather_8(ROW, np.array([0, -2, -1]), np.array(0)), [1, 4, 5])
    check(gather_8(ROW, np.array([3, 10, -20]), np.array(0)), [4, 0, 0])
    check(gather_8(ROW, np.array([-5, -6, 4, 5]), np.array(0)), [1, 0, 5, 0])
    check(gather_8(ROW, np.array([2**64 - 1, 2], np.uint64), np.array(0)), [0, 3])
    check(gather_8(ROW, np.array(7), np.array(0)), 0)
    check(gather_8(TWO_ROWS, np.array([-1, 2]), np.array(0)), [TWO_ROWS[1], [0] * 5])
    check(
        gather_8(TWO_ROWS, np.array([[-1, 5], [-6, -5]]), np.array(1), batch_dims=1),
        [[5, 0], [0, 6]],
    )
    check(gather_8(np.zeros((2, 0)), np.array([0, 1, -1]), np.array(1)), np.zeros((2, 3)))


def test_narrow_indices_of_a_long_axis():
    data = np.arange(300)
    check(gather_8(data, np.array([-128, 127], np.int8), np.array(0)), [172, 127])
    check(gather_7(data, np.array([255], np.uint8), np.array(0)), [255])


@pytest.mark.parametrize(
    "data",
    [
        np.array(["a", "", "ß"], object),
        np.array([np.nan, -0.0, np.inf], np.float16),
        np.array([1, -2, 7], ml_dtypes.int4),
        np.array([2**63 - 1, -(2**63), 5]),
        np.array([True, False, True]),
    ],
)
def test_every_type_keeps_its_bits(data):
    output = gather_8(data, np.array([2, 1, -3]), np.array(0))
    assert output.dtype == data.dtype
    assert output.tobytes() == np.array([data[2], data[1], data[0]], data.dtype).tobytes()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: gather_8(TWO_ROWS, np.array([0]), np.array(1), batch_dims=2),
            r"batch_dims must be in \[-1, 1\], got 2",
        ),
        (
            lambda: gather_8(np.array(["a"], object), np.array([1]), np.array(0)),
            "no zero for indices out of range",
        ),
        (
            lambda: gather_8(np.ones(1, ml_dtypes.float8_e8m0fnu), np.array([1]), np.array(0)),
            "no zero for indices out of range",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
