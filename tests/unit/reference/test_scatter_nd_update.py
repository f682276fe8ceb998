import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare
from reference.movement.gather_nd import gather_nd_8
from reference.movement.scatter_nd_update import scatter_nd_update_3, scatter_nd_update_15

both = pytest.mark.parametrize("update", [scatter_nd_update_3, scatter_nd_update_15])
EIGHT = np.arange(1, 9)
SQUARE = np.array([[1, 2], [3, 4]])


def check(actual, expected):
    np.testing.assert_array_equal(actual, expected)


@both
def test_elements(update):
    output = update(EIGHT, np.array([[4], [3], [1], [7]]), np.array([9, 10, 11, 12]))
    check(output, [1, 11, 3, 10, 9, 6, 7, 12])
    check(update(SQUARE, np.array([[1, 0], [0, 1]]), np.array([7, 8])), [[1, 8], [7, 4]])


def test_negative_indices():
    indices = np.array([[4], [3], [1], [7], [-2], [-4]])
    output = scatter_nd_update_15(EIGHT, indices, np.array([9, 10, 11, 12, 13, 14]))
    # 4 and -4 are one place; the later update stands there, as well as it might be the other.
    check(output, [1, 11, 3, 10, 14, 6, 13, 12])
    check(scatter_nd_update_15(SQUARE, np.array([[-1, -2]]), np.array([9])), [[1, 2], [9, 4]])


@both
@pytest.mark.parametrize("updates", [9, [9], [[9]]])
def test_one_update_may_have_dimensions(update, updates):
    check(update(SQUARE, np.array([1, 0]), np.array(updates)), [[1, 2], [9, 4]])


@both
def test_one_tuple_names_a_slice(update):
    check(update(SQUARE, np.array([1]), np.array([8, 9])), [[1, 2], [8, 9]])


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("sum", [61, 72, 23, 4]),
        ("sub", [-59, -68, -17, 4]),
        ("prod", [500, 2400, 60, 4]),
        ("min", [1, 2, 3, 4]),
        ("max", [50, 40, 20, 4]),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float16, ml_dtypes.bfloat16])
def test_reductions(reduction, expected, dtype):
    data, updates = np.array([1, 2, 3, 4], dtype), np.array([10, 20, 30, 40, 50], dtype)
    indices = np.array([[0], [2], [-3], [-3], [0]], np.int32)
    output = scatter_nd_update_15(data, indices, updates, reduction=reduction)
    check(output.astype(float), expected)
    if dtype == np.int32 or reduction in ("min", "max"):
        assert output.dtype == dtype
    else:
        assert output.dtype == np.float64


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("none", [False, True, False, True]),
        ("sum", [True, True, False, True]),
        ("sub", [True, False, False, True]),
        ("prod", [False, True, False, False]),
        ("min", [False, True, False, False]),
        ("max", [True, True, False, True]),
    ],
)
def test_booleans(reduction, expected):
    data = np.array([True, True, False, False])
    updates = np.array([False, True, False, True])
    output = scatter_nd_update_15(
        data, np.array([[0], [1], [2], [3]]), updates, reduction=reduction
    )
    check(output, expected)
    assert output.dtype == np.bool_


def test_slices_are_reduced_element_by_element():
    output = scatter_nd_update_15(
        SQUARE, np.array([[1], [1]]), np.array([[10, 20], [30, 40]]), reduction="sum"
    )
    check(output, [[1, 2], [43, 64]])


def test_integers_wrap():
    data, updates = np.array([2**63 - 1]), np.array([1])
    check(scatter_nd_update_15(data, np.array([[0]]), updates, reduction="sum"), [-(2**63)])
    data, updates = np.array([3], np.uint8), np.array([5], np.uint8)
    check(scatter_nd_update_15(data, np.array([[0]]), updates, reduction="sub"), [254])


@both
@pytest.mark.parametrize("length", [1, 2, 3])
def test_what_was_written_is_gathered_again(update, length):
    data = np.arange(60).reshape(3, 4, 5)
    numbers = np.random.RandomState(length).permutation(int(np.prod(data.shape[:length])))[:3]
    indices = np.stack(np.unravel_index(numbers, data.shape[:length]), -1)
    updates = -gather_nd_8(data, indices) - 1
    output = update(data, indices, updates)
    check(gather_nd_8(output, indices), updates)
    assert (output != data).sum() == updates.size


@pytest.mark.parametrize("data", [np.array([np.nan, -0.0]), np.array([2**63 - 1, -(2**63)])])
def test_every_type_keeps_its_bits(data):
    output = scatter_nd_update_3(data, np.array([[1], [0]]), data)
    assert output.tobytes() == data[::-1].tobytes()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: scatter_nd_update_15(SQUARE, np.array([[0]]), EIGHT[:1]),
            r"updates must have shape \(1, 2\), got \(1,\)",
        ),
        (
            lambda: scatter_nd_update_15(EIGHT, np.array([[0]]), EIGHT[:1], reduction="mean"),
            "reduction must be none, sum, sub, prod, min or max, got 'mean'",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("actual", "passes"),
    [
        ([50, 40, 20, 4], True),
        ([10, 40, 20, 4], True),
        ([50, 30, 20, 4], True),
        ([10, 30, 20, 4], True),
        ([20, 40, 20, 4], False),
        ([1, 40, 20, 4], False),
        ([50, 40, 10, 4], False),
        ([50, 40, 20, 5], False),
    ],
)
def test_updates_of_one_place_in_any_order(actual, passes):
    data, updates = (np.array(each, np.float32) for each in ([1, 2, 3, 4], [10, 20, 30, 40, 50]))
    indices = np.array([[0], [2], [-3], [-3], [0]])
    (expected,) = answer("ScatterNDUpdate-15", [data, indices, updates], {"reduction": "none"})
    assert (compare(expected, np.array(actual, np.float32)).wrong == 0) is passes


@pytest.mark.parametrize(("actual", "passes"), [([5, 6], True), ([7, 8], True), ([6, 7], False)])
def test_updates_of_one_slice_in_any_order(actual, passes):
    data, updates = np.zeros((2, 2), np.int32), np.array([[5, 6], [7, 8]], np.int32)
    (expected,) = answer("ScatterNDUpdate-15", [data, np.array([[1], [-1]]), updates], {})
    assert (compare(expected, np.array([[0, 0], actual], np.int32)).wrong == 0) is passes


def test_equal_updates_of_one_place_are_bit_for_bit():
    data, updates = np.ones(2, np.float32), np.full(2, -0.0, np.float32)
    (expected,) = answer("ScatterNDUpdate-15", [data, np.array([[1], [1]]), updates], {})
    assert compare(expected, np.array([1, -0.0], np.float32)).wrong == 0
    assert compare(expected, np.array([1, 0], np.float32)).wrong == 1
