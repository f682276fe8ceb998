"""MaxPool: the numeric examples of the shape rules, and what they leave out by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.pooling.max_pool import max_pool, max_pool_1, max_pool_8

SIGNED = np.array([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]]]])
NINE = np.arange(1, 10).reshape(1, 1, 3, 3)


def asked(data, **attributes):
    spatial = data.ndim - 2
    usual = {"strides": [1] * spatial, "pads_begin": [0] * spatial, "pads_end": [0] * spatial}
    values, indices = max_pool(data, **{**usual, **attributes})
    return values.tolist(), indices.tolist()


def test_example_1_explicit_padding():
    values, indices = asked(SIGNED, pads_begin=[1, 1], pads_end=[1, 1], kernel=[2, 2])
    # The page has -6 at 5 for the window of 3 and -6.
    assert values == [[[[-1, 2, 3, 3], [4, 5, 5, 3], [4, 8, 9, 9], [-7, 8, 9, 9]]]]
    assert indices == [[[[0, 1, 2, 2], [3, 4, 4, 2], [3, 7, 8, 8], [6, 7, 8, 8]]]]


def test_example_2_one_axis():
    data = np.array([[[-1, 2, 3, 5, -7, 9, 1]]])
    values, indices = asked(data, kernel=[3], auto_pad="valid")
    assert values == [[[3, 5, 5, 9, 9]]]
    assert indices == [[[2, 3, 3, 5, 5]]]


def test_example_3_same_lower():
    values, indices = asked(SIGNED, kernel=[2, 2], auto_pad="same_lower")
    assert values == [[[[-1, 2, 3], [4, 5, 5], [4, 8, 9]]]]
    assert indices == [[[[0, 1, 2], [3, 4, 4], [3, 7, 8]]]]


def test_example_4_same_upper():
    second = [[2, -1, 5], [6, -7, 1], [8, 2, -3]]
    data = np.concatenate([SIGNED, [[second]]], axis=1)
    values, indices = asked(data, kernel=[2, 2], auto_pad="same_upper")
    assert values == [
        [[[5, 5, 3], [8, 9, 9], [8, 9, 9]], [[6, 5, 5], [8, 2, 1], [8, 2, -3]]],
    ]
    assert indices == [
        [[[4, 4, 2], [7, 8, 8], [7, 8, 8]], [[12, 11, 11], [15, 16, 14], [15, 16, 17]]],
    ]


def test_example_5_no_window_starts_in_the_padding():
    pads = {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1], "kernel": [2, 2]}
    values, indices = asked(NINE, rounding_type="ceil_torch", **pads)
    assert values == [[[[1, 3], [7, 9]]]]
    assert indices == [[[[0, 2], [6, 8]]]]


def test_example_6_rounded_up():
    values, indices = asked(
        SIGNED, strides=[2, 2], kernel=[2, 2], rounding_type="ceil", auto_pad="valid"
    )
    assert values == [[[[5, 3], [8, 9]]]]
    assert indices == [[[[4, 2], [7, 8]]]]


def test_example_7_dilations():
    pads = {"pads_begin": [1, 1], "pads_end": [1, 1], "kernel": [2, 2]}
    values, indices = asked(NINE, dilations=[2, 2], **pads)
    assert values == [[[[5, 6, 5], [8, 9, 8], [5, 6, 5]]]]
    assert indices == [[[[4, 5, 4], [7, 8, 7], [4, 5, 4]]]]


def test_example_8_axis():
    data = np.arange(1, 19).reshape(1, 2, 3, 3)
    for axis in (2, -2):
        values, indices = asked(data, kernel=[2, 2], dilations=[1, 1], axis=axis)
        assert values == [[[[5, 6], [8, 9]], [[14, 15], [17, 18]]]]
        assert indices == [[[[4, 5], [7, 8]], [[4, 5], [7, 8]]]]


@pytest.mark.parametrize(
    "axis, expected",
    [
        (0, [3, 7, 11, 15]),
        (-3, [3, 7, 11, 15]),
        (1, [3, 7, 3, 7]),
        (2, [3, 3, 3, 3]),
    ],
)
def test_indices_count_from_axis_on(axis, expected):
    data = np.arange(16).reshape(2, 2, 4)  # the largest is the last of each row
    _, indices = asked(data, kernel=[4], axis=axis)
    assert np.array(indices).reshape(-1).tolist() == expected


def test_strides_with_same_give_a_place_for_each():
    values, indices = asked(
        np.array([[[1, 2, 3, 4, 5]]]), strides=[2], kernel=[2], auto_pad="same_upper"
    )
    assert values == [[[2, 4, 5]]]
    assert indices == [[[1, 3, 4]]]


@pytest.mark.parametrize("rounding_type, expected", [("floor", [2]), ("ceil", [2, 5])])
def test_rounding(rounding_type, expected):
    data = np.array([[[1, 2, 0, 4, 5]]])
    values, _ = asked(data, strides=[3], kernel=[3], rounding_type=rounding_type)
    assert values == [[expected]]


def test_the_least_integer_is_not_padding():
    data = np.full((1, 1, 2), -128, np.int8)
    values, indices = max_pool(
        data, strides=[1], pads_begin=[1], pads_end=[1], kernel=[2], index_element_type="i32"
    )
    assert values.tolist() == [[[-128, -128, -128]]]
    assert values.dtype == np.int8
    assert indices.tolist() == [[[0, 0, 1]]]
    assert indices.dtype == np.int32


class TestAdmissibleAnswers:
    DATA = np.array([[[3, 1, 3, 2]]], np.float32)
    ATTRIBUTES = {"strides": [1], "pads_begin": [0], "pads_end": [0], "kernel": [3]}  # noqa: RUF012

    def wrong(self, indices, data=None):
        data = self.DATA if data is None else data
        values, expected = answer("MaxPool-14", [data], self.ATTRIBUTES, ["f32", "i64"])
        came = [values.value.astype(np.float32), np.array(indices)]
        return compare(expected.chosen(came), came[1]).wrong

    def test_any_of_equals(self):
        assert self.wrong([[[0, 2]]]) == 0
        assert self.wrong([[[2, 2]]]) == 0

    def test_no_other(self):
        assert self.wrong([[[1, 2]]]) == 1
        assert self.wrong([[[0, 0]]]) == 1  # equal, but in another window
        assert self.wrong([[[-1, 9]]]) == 2

    def test_nan_is_open(self):
        data = np.array([[[np.nan, 1, 3, 2]]], np.float32)
        assert self.wrong([[[1, 2]]], data) == 0
        assert self.wrong([[[1, 1]]], data) == 1


@pytest.mark.parametrize(
    "data, attributes, sentence",
    [
        (np.zeros((2, 2)), {}, "MaxPool-14: data must have rank 3, 4 or 5, got 2"),
        (NINE, {"index_element_type": "u8"}, "index_element_type must be i64 or i32, got 'u8'"),
        (NINE, {"rounding_type": "up"}, "rounding_type must be floor, ceil or ceil_torch"),
        (NINE, {"pads_begin": [2, 0]}, "a window must hold an element of data"),
    ],
)
def test_errors(data, attributes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(data, **{"kernel": [2, 2], **attributes})


def test_max_pool_1_has_minus_infinity_in_windows_without_data():
    line = np.array([[[-5.0, -2.0, -7.0]]])
    some = {"strides": [2], "pads_begin": [2], "pads_end": [1], "kernel": [2]}
    assert max_pool_1(line, **some).tolist() == [[[-np.inf, -2, -7]]]
    with pytest.raises(ValueError, match="MaxPool-1: a window must hold an element of data"):
        max_pool_1(line.astype(np.int32), **some)


def test_max_pool_8_is_max_pool_14_without_a_way_of_rounding():
    some = {"strides": [2, 2], "pads_begin": [0, 0], "pads_end": [1, 1], "kernel": [2, 2]}
    values, indices = max_pool_8(SIGNED, rounding_type="ceil", axis=2, **some)
    assert values.tolist() == [[[[5, 3], [8, 9]]]]
    assert indices.tolist() == [[[[4, 2], [7, 8]]]]
    with pytest.raises(ValueError, match="rounding_type must be floor or ceil, got 'ceil_torch'"):
        max_pool_8(SIGNED, rounding_type="ceil_torch", **some)


@pytest.mark.parametrize("auto_pad", ["same_upper", "same_lower"])
@pytest.mark.parametrize("rounding_type", ["floor", "ceil", "ceil_torch"])
def test_rounding_does_not_count_where_padding_is_made_for_a_number_of_places(
    auto_pad, rounding_type
):
    """ceil(5 / 3) = 2 places, the page has one formula for all roundings."""
    data = np.array([[[1, 2, 3, 4, 5]]])
    given = {"strides": [3], "kernel": [1], "auto_pad": auto_pad, "rounding_type": rounding_type}
    assert asked(data, **given)[0] == [[[1, 4]]]


def test_a_window_larger_than_the_data_is_the_only_one():
    """ceil((5 - 7) / 3) + 1 = 1; rounded down there is none, and with a stride of 2 ceil(-1) + 1 = 0."""
    data = np.array([[[1, 5, 3, 4, 2]]])
    assert asked(data, strides=[3], kernel=[7], rounding_type="ceil") == ([[[5]]], [[[1]]])
    for given in ({"rounding_type": "floor"}, {"strides": [2], "rounding_type": "ceil"}):
        with pytest.raises(ValueError, match="a window of 7 must fit into an image of 5"):
            asked(data, **{"strides": [3], "kernel": [7], **given})
