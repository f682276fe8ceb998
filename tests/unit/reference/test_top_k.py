import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare, lookup
from reference.sort.top_k import top_k


def lists(outputs):
    return [output.tolist() for output in outputs]


def ask(data, k, **attributes):
    given = {"axis": -1, "mode": "max", "sort": "value", **attributes}
    return lists(top_k(np.array(data), np.array(k), **given))


DATA = [3, 9, 1, 7, 5]


@pytest.mark.parametrize(
    ("mode", "sort", "values", "indices"),
    [
        ("max", "value", [9, 7, 5], [1, 3, 4]),
        ("min", "value", [1, 3, 5], [2, 0, 4]),
        ("max", "index", [9, 7, 5], [1, 3, 4]),
        ("min", "index", [3, 1, 5], [0, 2, 4]),
    ],
)
def test_modes_and_orders(mode, sort, values, indices):
    assert ask(DATA, 3, mode=mode, sort=sort) == [values, indices]


def test_without_an_order_the_elements_are_the_same():
    assert sorted(ask(DATA, 3, sort="none")[1]) == [1, 3, 4]


def test_axes():
    data = [[3, 9], [8, 2], [5, 6]]
    assert ask(data, 2, axis=0) == [[[8, 9], [5, 6]], [[1, 0], [2, 2]]]
    assert ask(data, 2, axis=-2) == ask(data, 2, axis=0)
    assert ask(data, 1, axis=1) == [[[9], [8], [6]], [[1], [0], [1]]]


def test_equal_elements_keep_their_order():
    data = [5, 3, 1, 2, 5, 5]  # the page's
    assert ask(data, 4, mode="min", sort="index", stable=True) == [[5, 3, 1, 2], [0, 1, 2, 3]]
    assert ask(data, 5, mode="min", stable=True) == [[1, 2, 3, 5, 5], [2, 3, 1, 0, 4]]
    assert ask(data, 4, mode="max", stable=True) == [[5, 5, 5, 3], [0, 4, 5, 1]]


def test_types():
    values, indices = top_k(
        np.array([1, 2], np.uint8), np.array(1), axis=0, mode="max", sort="value"
    )
    assert (values.dtype, indices.dtype) == (np.uint8, np.int32)
    half = np.array([1.5, -2], ml_dtypes.bfloat16)
    values, indices = top_k(
        half, np.array(1), axis=0, mode="min", sort="value", index_element_type="i64"
    )
    assert (values.dtype, indices.dtype) == (ml_dtypes.bfloat16, np.int64)
    assert values.astype(float).tolist() == [-2.0]


def test_ends_of_integers_are_ordered():
    ends = np.array([2**63 - 2, -(2**63), 2**63 - 1])
    assert ask(ends, 2)[0] == [2**63 - 1, 2**63 - 2]
    assert ask(ends, 1, mode="min")[0] == [-(2**63)]
    assert ask(np.array([1, 2**64 - 1, 0], np.uint64), 3)[0] == [2**64 - 1, 1, 0]


@pytest.mark.parametrize("mode", ["min", "max"])
def test_is_sorting_over_random_layers(mode):
    state = np.random.RandomState(3)
    for _ in range(20):
        data = state.randint(0, 9, state.randint(1, 6, state.randint(1, 4)))
        axis = state.randint(-data.ndim, data.ndim)
        k = state.randint(1, data.shape[axis] + 1)
        values, indices = top_k(data, np.array(k), axis=axis, mode=mode, sort="value")
        ordered = np.sort(data, axis)
        ordered = np.flip(ordered, axis) if mode == "max" else ordered
        np.testing.assert_array_equal(values, ordered.take(range(k), axis))
        np.testing.assert_array_equal(np.take_along_axis(data, indices, axis), values)


# --- what else the page allows ------------------------------------------------------------------------------------


def passes(data, k, values, indices, dtype=np.float32, **attributes):
    """Whether a device may answer so."""
    given = {"axis": -1, "mode": "max", "sort": "value", **attributes}
    came = [np.array(values, dtype), np.array(indices, np.int32)]
    expected = answer("TopK-11", [np.array(data, dtype), np.array(k)], given)
    found = [compare(e.chosen(came), a) for e, a in zip(expected, came, strict=True)]
    return not any(each.wrong for each in found)


# The page's example of equal elements.
EQUAL = [5, 3, 1, 2, 5, 5]
BY_INDEX = {"mode": "min", "sort": "index"}


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_any_of_equal_elements_may_be_chosen(dtype):
    for values, indices in (
        ([5, 3, 1, 2], [0, 1, 2, 3]),
        ([3, 1, 2, 5], [1, 2, 3, 4]),
        ([3, 1, 2, 5], [1, 2, 3, 5]),
    ):
        assert passes(EQUAL, 4, values, indices, dtype, **BY_INDEX)
        assert passes(EQUAL, 4, values, indices, dtype, **BY_INDEX, stable=True) == (
            indices[0] == 0
        )


@pytest.mark.parametrize(
    ("values", "indices"),
    [
        ([3, 1, 5, 2], [1, 2, 4, 3]),  # not in the order of places
        ([3, 1, 2, 5], [1, 2, 3, 0]),
        ([3, 1, 2, 5], [1, 2, 3, 3]),  # twice the same place
        ([3, 1, 2, 5], [1, 2, 3, 6]),  # no such place
        ([3, 1, 2, 5], [-5, 2, 3, 4]),
        ([3, 1, 2, 3], [1, 2, 3, 4]),  # a value that does not stand there
        ([3, 2, 5, 5], [1, 3, 4, 5]),  # not the smallest
    ],
)
def test_what_is_not_allowed_among_equal_elements(values, indices):
    assert not passes(EQUAL, 4, values, indices, **BY_INDEX)


def test_equal_elements_in_the_order_of_values():
    assert passes(EQUAL, 3, [5, 5, 5], [4, 0, 5])
    assert not passes(EQUAL, 3, [5, 5, 5], [4, 0, 5], stable=True)
    assert not passes(EQUAL, 4, [5, 5, 3, 5], [0, 4, 1, 5])


def test_any_order_without_one():
    assert passes([4, 3, 9, 1], 3, [3, 9, 4], [1, 2, 0], sort="none")
    assert passes([4, 3, 9, 1], 3, [3, 9, 4], [1, 2, 0], sort="none", stable=True)
    assert not passes([4, 3, 9, 1], 3, [1, 9, 4], [3, 2, 0], sort="none")


def test_each_slice_has_its_own_choice():
    data = [[7, 7, 1], [2, 8, 8]]
    assert passes(data, 1, [[7], [8]], [[1], [1]])
    assert passes(data, 1, [[7], [8]], [[0], [2]])
    assert not passes(data, 1, [[7], [8]], [[1], [0]])


def test_nan_leaves_its_slice_open_alone():
    data = [[1, np.nan, 2], [4, 3, 9]]
    assert passes(data, 1, [[1], [9]], [[0], [2]])
    assert not passes(data, 1, [[2], [4]], [[2], [0]])


# --- what the page forbids ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "attributes", "message"),
    [
        (0, {}, "TopK-11: k must be from 1 to 5, got 0"),
        ([3], {}, r"TopK-11: k must have rank 0, got shape \[1\]"),
        (6, {}, "TopK-11: k must be from 1 to 5, got 6"),
        (3, {"mode": "mean"}, "TopK-11: mode must be min or max, got 'mean'"),
        (3, {"sort": "size"}, "TopK-11: sort must be value, index or none, got 'size'"),
        (3, {"index_element_type": "u8"}, "index_element_type must be i64 or i32, got 'u8'"),
    ],
)
def test_what_the_page_forbids(k, attributes, message):
    with pytest.raises(ValueError, match=message):
        ask(DATA, k, **attributes)


@pytest.mark.parametrize("name", ["TopK-1", "TopK-3"])
def test_earlier_versions(name):
    reference = lookup(name)
    given = {"axis": 0, "mode": "max", "sort": "value"}
    assert lists(reference(np.array(DATA), np.array(2), **given)) == [[9, 7], [1, 3]]
    with pytest.raises(ValueError, match="k must be from 1 to 5, got 6"):
        reference(np.array(DATA), np.array(6), **given)
