"""AdaptiveAvgPool and AdaptiveMaxPool: windows counted by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.pooling.adaptive_avg_pool import adaptive_avg_pool
from reference.pooling.adaptive_max_pool import adaptive_max_pool

LINE = np.array([[[1.0, 2, 4, 8, 16]]])


def averages(data, *sizes):
    return adaptive_avg_pool(data, np.array(sizes)).tolist()


@pytest.mark.parametrize(
    "size, expected",
    [
        (1, [31 / 5]),
        # floor(0), ceil(2.5); floor(2.5), 5
        (2, [7 / 3, 28 / 3]),
        # 0 to 5/3, 5/3 to 10/3, 10/3 to 5: two, three and two elements
        (3, [3 / 2, 14 / 3, 12]),
        (5, [1, 2, 4, 8, 16]),
        # 5/7: 0-1, 0-2, 1-3, 2-3, 2-4, 3-5, 4-5
        (7, [1, 3 / 2, 3, 4, 6, 12, 16]),
    ],
)
def test_windows_along_an_axis(size, expected):
    np.testing.assert_allclose(averages(LINE, size), [[expected]], rtol=1e-15)


def test_axes_are_apart():
    data = np.array([[[[1.0, 2, 3], [10, 20, 30]], [[0, 0, 0], [6, 6, 6]]]])
    assert averages(data, 1, 2) == [[[[33 / 4, 55 / 4]], [[3, 3]]]]
    assert averages(data, 2, 1) == [[[[2], [20]], [[0], [6]]]]
    cube = np.arange(8.0).reshape(1, 1, 2, 2, 2)
    assert averages(cube, 1, 2, 1) == [[[[[2.5], [4.5]]]]]


def test_quotients_are_not_rounded():
    """The window 13 of 25 over 14 elements begins at 7 28/100, and 3 * 3/21 ends at 9/21: less than an element."""
    count = adaptive_avg_pool(np.arange(59.0).reshape(1, 1, 59), np.array([23])).shape
    assert count == (1, 1, 23)
    # (i + 1) * 3 / 21 is 1 for i = 6 and 2 for i = 13: no window reaches into the next element.
    whole = averages(np.array([[[0.0, 1, 2]]]), 21)[0][0]
    assert whole == [0] * 7 + [1] * 7 + [2] * 7


def test_largest_elements_and_their_places():
    data = np.array([[[3.0, 1, 7, 5, 7]], [[-1, -2, -3, -4, -5]]])
    values, places = adaptive_max_pool(data, np.array([3]))
    assert values.tolist() == [[[3, 7, 7]], [[-1, -2, -4]]]
    assert places.tolist() == [[[0, 2, 4]], [[0, 1, 3]]]
    assert places.dtype == np.int64


def test_places_count_the_spatial_axes_alone():
    data = np.arange(24.0).reshape(1, 2, 3, 4)
    values, places = adaptive_max_pool(data, np.array([2, 1]), index_element_type="i32")
    assert values.tolist() == [[[[7], [11]], [[19], [23]]]]
    assert places.tolist() == [[[[7], [11]], [[7], [11]]]]
    assert places.dtype == np.int32


@pytest.mark.parametrize("place, wrong", [(0, 0), (2, 0), (1, 1), (3, 1)])
def test_any_of_equal_elements_is_right(place, wrong):
    data = np.array([[[5.0, 1, 5, 5]]], np.float32)
    values, places = answer("AdaptiveMaxPool-8", [data, np.array([1])], {}, ["f32", "i64"])
    actual = [np.array([[[5.0]]], np.float32), np.array([[[place]]])]
    if place == 3:
        actual[1] = actual[1] + 1
    assert compare(values.chosen(actual), actual[0]).wrong == 0
    assert compare(places.chosen(actual), actual[1]).wrong == wrong


def test_windows_with_nan_are_not_judged():
    data = np.array([[[1.0, np.nan, 3, 4]]], np.float32)
    values, _ = answer("AdaptiveMaxPool-8", [data, np.array([2])], {}, ["f32", "i64"])
    assert np.isinf(values.bound).tolist() == [[[True, False]]]


def test_no_output():
    assert adaptive_avg_pool(LINE, np.array([0])).shape == (1, 1, 0)
    assert adaptive_avg_pool(np.zeros((0, 2, 3)), np.array([2])).shape == (0, 2, 2)
    assert adaptive_avg_pool(np.zeros((1, 2, 0, 3)), np.array([0, 2])).shape == (1, 2, 0, 2)
    assert adaptive_max_pool(LINE, np.array([0]))[1].shape == (1, 1, 0)


@pytest.mark.parametrize("pool", [adaptive_avg_pool, adaptive_max_pool])
@pytest.mark.parametrize(
    "data, sizes, sentence",
    [
        (np.zeros((1, 1)), [1], "data must have rank 3, 4 or 5, got 2"),
        (LINE, [1, 1], "output_size must have 1 values"),
        (LINE, [-1], "output_size must be 0 or more"),
        (np.zeros((1, 1, 0)), [1], "a window must hold an element"),
    ],
)
def test_errors(pool, data, sizes, sentence):
    with pytest.raises(ValueError, match=sentence):
        pool(data, np.array(sizes))
