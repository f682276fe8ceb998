"""ConvolutionBackpropData: filters laid on the output by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.convolution.convolution import convolution
from reference.convolution.convolution_backprop_data import convolution_backprop_data
from reference.convolution.group_convolution_backprop_data import group_convolution_backprop_data

LINE = np.array([[[1, 10, 100]]])  # [N, C_INPUT, X]
KERNEL = np.array([[[1, 2, 3]]])  # [C_INPUT, C_OUTPUT, X]


def asked(data=LINE, kernel=KERNEL, output_shape=None, **attributes):
    usual = dict.fromkeys(("pads_begin", "pads_end"), [0] * (data.ndim - 2))
    usual |= dict.fromkeys(("strides", "dilations"), [1] * (data.ndim - 2))
    shape = None if output_shape is None else np.array(output_shape)
    return convolution_backprop_data(data, kernel, shape, **{**usual, **attributes})


def line(*given, **attributes):
    return asked(*given, **attributes).tolist()[0][0]


def test_each_element_adds_its_multiple_of_the_filter():
    assert line() == [1, 12, 123, 230, 300]


def test_strides_are_those_of_the_output():
    assert line(strides=[2]) == [1, 2, 13, 20, 130, 200, 300]
    assert line(strides=[4]) == [1, 2, 3, 0, 10, 20, 30, 0, 100, 200, 300]


def test_dilations_are_those_of_the_output():
    assert line(dilations=[2]) == [1, 10, 102, 20, 203, 30, 300]


def test_padding_is_cut_off():
    assert line(pads_begin=[1], pads_end=[2]) == [12, 123]
    assert line(pads_begin=[4]) == [300]


@pytest.mark.parametrize("auto_pad", ["same_upper", "same_lower", "valid"])
def test_auto_pad_cuts_nothing_off(auto_pad):
    assert line(pads_begin=[1], pads_end=[2], auto_pad=auto_pad) == [1, 12, 123, 230, 300]


def test_output_padding_is_at_the_end():
    assert line(output_padding=[2]) == [1, 12, 123, 230, 300, 0, 0]
    # What the padding cut off comes back.
    assert line(pads_end=[3], output_padding=[1]) == [1, 12, 123]


@pytest.mark.parametrize(
    "auto_pad, expected",
    [
        # Five elements are covered; of two that are too many each end loses one, of three the begin one.
        ("explicit", {3: [12, 123, 230], 2: [12, 123]}),
        ("same_lower", {3: [12, 123, 230], 2: [12, 123]}),
        ("valid", {3: [12, 123, 230], 2: [12, 123]}),
        ("same_upper", {3: [12, 123, 230], 2: [123, 230]}),
    ],
)
def test_output_shape_distributes_what_is_too_much(auto_pad, expected):
    for size, values in expected.items():
        assert line(output_shape=[size], auto_pad=auto_pad, pads_begin=[2]) == values


def test_output_shape_counts_output_padding():
    # total_padding = 2 + 3 - 4 + 2 = 3
    assert line(output_shape=[4], output_padding=[2]) == [12, 123, 230, 300]
    assert line(output_shape=[4], output_padding=[2], auto_pad="same_upper") == [123, 230, 300, 0]


def test_output_shape_larger_than_what_filters_cover():
    # total_padding = -2 and -3; -3 // 2 = -2
    assert line(output_shape=[7]) == [0, 1, 12, 123, 230, 300, 0]
    assert line(output_shape=[8]) == [0, 0, 1, 12, 123, 230, 300, 0]
    assert line(output_shape=[8], auto_pad="same_upper") == [0, 1, 12, 123, 230, 300, 0, 0]


def test_the_kernel_begins_with_the_input_channels():
    data = np.array([[[1, 2], [10, 20]]])
    kernel = np.array([[[1], [2], [3]], [[1], [0], [5]]])
    assert asked(data, kernel).tolist() == [[[11, 22], [2, 4], [53, 106]]]


def test_spatial_axes_are_apart():
    data = np.array([[[[1, 10], [100, 1000]]]])
    kernel = np.array([[[[1, 2]]]])
    spread = asked(data, kernel, strides=[2, 3], dilations=[1, 4])
    assert spread.tolist() == [
        [[[1, 0, 0, 10, 2, 0, 0, 20], [0] * 8, [100, 0, 0, 1000, 200, 0, 0, 2000]]]
    ]


def test_it_is_the_transpose_of_a_convolution():
    """The scalar product of a convolution with y is that of its data with the transpose of y."""
    state = np.random.RandomState(5)
    x, kernel = state.standard_normal((2, 3, 9, 8)), state.standard_normal((4, 3, 2, 3))
    attributes = {
        "strides": [3, 1],
        "pads_begin": [1, 2],
        "pads_end": [1, 0],
        "dilations": [2, 3],
    }
    forward = convolution(x, kernel, **attributes)
    y = state.standard_normal(forward.shape)
    back = convolution_backprop_data(y, kernel, np.array(x.shape[2:]), **attributes)
    explicit = convolution_backprop_data(y, kernel, output_padding=[2, 0], **attributes)
    assert explicit.shape == x.shape
    np.testing.assert_allclose(np.sum(forward * y), np.sum(x * explicit), rtol=1e-12)
    assert back.shape == x.shape


def test_no_data_gives_zeros():
    assert line(np.zeros((1, 1, 0)), strides=[2]) == [0]
    assert asked(np.zeros((1, 0, 3)), np.zeros((0, 2, 3))).tolist() == [[[0] * 5] * 2]


def test_zero_times_infinity_is_nan():
    """Also in a product of one factor each, which a BLAS makes 0."""
    assert np.isnan(asked(np.array([[[np.inf]]]), np.zeros((1, 1, 1)))).all()
    plain = {"strides": [1], "pads_begin": [0], "pads_end": [0], "dilations": [1]}
    kernel = np.zeros((1, 1, 1))
    assert np.isnan(convolution(np.array([[[np.inf]]]), kernel, **plain)).all()


def test_groups():
    data = np.array([[[1, 2], [10, 20], [100, 200], [1000, 2000]]])
    kernel = np.array([[[[1], [0]], [[1], [2]]], [[[3], [1]], [[0], [1]]]])
    attributes = {"strides": [1], "pads_begin": [0], "pads_end": [0], "dilations": [1]}
    assert group_convolution_backprop_data(data, kernel, **attributes).tolist() == [
        [[11, 22], [20, 40], [300, 600], [1100, 2200]]
    ]


def test_integers_wrap_and_reals_are_float64():
    assert line(np.full((1, 1, 1), 100, np.int8), np.full((1, 1, 1), 2, np.int8)) == [-56]
    assert asked(np.ones((1, 1, 1), np.float16), np.ones((1, 1, 1), np.float16)).dtype == np.float64


def test_the_bound_counts_the_terms_of_each_output():
    """Where one filter alone reaches there is one product, and one rounding; two and a sum in the middle."""
    data = np.ones((1, 1, 2), np.float32)
    attributes = {"strides": (2,), "pads_begin": (0,), "pads_end": (0,), "dilations": (1,)}
    (expected,) = answer(
        "ConvolutionBackpropData-1", [data, np.ones((1, 1, 3), np.float32)], attributes, ["f32"]
    )
    values = np.array([[[1, 1, 2, 1, 1]]])
    off = 2.0**-23 * np.array([1.5, 1.5, 6, 1.5, 1.5])
    wrong = compare(expected, (values + off).astype(np.float32)).wrong
    assert compare(expected, values.astype(np.float32)).wrong == 0
    assert wrong == 5


@pytest.mark.parametrize("weight, silent", [(np.inf, 4), (np.nan, 4), (1.0, 0)])
def test_infinite_weights_between_elements_are_not_judged(weight, silent):
    kernel = np.array([[[1, weight]]], np.float32)
    attributes = {"strides": (3,), "pads_begin": (0,), "pads_end": (0,), "dilations": (1,)}
    attributes |= {"output_padding": (1,)}
    data = np.ones((1, 1, 2), np.float32)
    (expected,) = answer("ConvolutionBackpropData-1", [data, kernel], attributes, ["f32"])
    assert np.isinf(expected.bound).sum() == silent


@pytest.mark.parametrize(
    "attributes, sentence",
    [
        ({"data": np.zeros((1, 1))}, "data must have rank 3, 4 or 5, got 2"),
        ({"pads_begin": [6]}, "the padding must leave an output"),
    ],
)
def test_errors(attributes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(**attributes)
