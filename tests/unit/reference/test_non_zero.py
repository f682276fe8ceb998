import ml_dtypes
import numpy as np
import pytest

from reference.condition.non_zero import non_zero


def test_the_example_of_the_text():
    assert non_zero(np.array([[1, 0], [1, 1]])).tolist() == [[0, 1, 1], [0, 0, 1]]


def test_three_dimensions_in_row_major_order():
    data = np.zeros((2, 3, 4))
    data[0, 2, 1] = data[1, 0, 3] = data[0, 0, 2] = 5
    assert non_zero(data).tolist() == [[0, 0, 1], [0, 2, 0], [2, 1, 3]]


def test_output_types():
    assert non_zero(np.array([0, 3])).dtype == np.int64
    assert non_zero(np.array([0, 3]), output_type="i32").dtype == np.int32


@pytest.mark.parametrize(("shape", "found"), [((4,), (1, 0)), ((2, 3), (2, 0)), ((0, 3), (2, 0))])
def test_nothing_found(shape, found):
    assert non_zero(np.zeros(shape)).shape == found


def test_a_scalar_has_no_place():
    assert non_zero(np.array(5.0)).shape == (0, 1)
    assert non_zero(np.array(0.0)).shape == (0, 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_what_is_not_zero(dtype):
    data = np.array([np.nan, 0.0, -0.0, np.inf, -np.inf, 0.25, 1e-7, -1.0]).astype(dtype)
    assert non_zero(data).tolist() == [[0, 3, 4, 5, 6, 7]]


def test_integers_to_their_last_bit():
    assert non_zero(np.array([2**63, 0, 2**32], np.uint64)).tolist() == [[0, 2]]
    assert non_zero(np.array([-(2**63), 0, 2**32])).tolist() == [[0, 2]]


@pytest.mark.parametrize("dtype", [bool, ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.float4_e2m1fn])
def test_small_types(dtype):
    assert non_zero(np.array([0, 1, 0, 1]).astype(dtype)).tolist() == [[1, 3]]


def test_the_found_elements_are_all_that_are_not_zero():
    state = np.random.RandomState(5)
    for _ in range(20):
        data = state.randint(0, 3, state.randint(1, 5, state.randint(1, 5)))
        places = non_zero(data)
        assert places.shape == (data.ndim, np.count_nonzero(data))
        assert (data[tuple(places)] != 0).all()
        flat = np.ravel_multi_index(tuple(places), data.shape)
        assert (np.diff(flat) > 0).all()


def test_what_the_page_forbids():
    with pytest.raises(ValueError, match="NonZero-3: output_type must be i64 or i32, got 'f32'"):
        non_zero(np.array([1]), output_type="f32")
