"""Convolution: windows laid by hand."""

import numpy as np
import pytest

from reference.convolution.convolution import convolution
from reference.shared import convolving

IMAGE = np.arange(1, 13).reshape(1, 1, 3, 4)
#  1  2  3  4
#  5  6  7  8
#  9 10 11 12
KERNEL = np.array([[[[1, 0], [0, 10]]]])


def asked(data=IMAGE, kernel=KERNEL, **attributes):
    usual = dict.fromkeys(("pads_begin", "pads_end"), [0] * (data.ndim - 2))
    usual |= dict.fromkeys(("strides", "dilations"), [1] * (data.ndim - 2))
    return convolution(data, kernel, **{**usual, **attributes})


def test_the_kernel_is_not_flipped():
    assert asked().tolist() == [[[[61, 72, 83], [105, 116, 127]]]]


def test_strides():
    assert asked(strides=[1, 2]).tolist() == [[[[61, 83], [105, 127]]]]
    assert asked(strides=[2, 1]).tolist() == [[[[61, 72, 83]]]]


def test_dilations():
    assert asked(dilations=[2, 1]).tolist() == [[[[101, 112, 123]]]]
    assert asked(dilations=[1, 3]).tolist() == [[[[81], [125]]]]


def test_padding_is_zero():
    padded = asked(pads_begin=[1, 0], pads_end=[0, 2])
    assert padded.tolist() == [[[[20, 30, 40, 0, 0], [61, 72, 83, 4, 0], [105, 116, 127, 8, 0]]]]


@pytest.mark.parametrize(
    "auto_pad, expected",
    [
        ("valid", [[61, 72, 83], [105, 116, 127]]),
        ("same_upper", [[61, 72, 83, 4], [105, 116, 127, 8], [9, 10, 11, 12]]),
        ("same_lower", [[10, 20, 30, 40], [50, 61, 72, 83], [90, 105, 116, 127]]),
    ],
)
def test_auto_pad_ignores_pads(auto_pad, expected):
    assert asked(auto_pad=auto_pad, pads_begin=[3, 0]).tolist() == [[expected]]


def test_same_with_strides_has_a_place_for_each_stride():
    # 4 columns in strides of 3: two places; windows of 3 there need 6 columns, one more at each end.
    kernel = np.array([[[[1, 10, 100]]]])
    row = np.array([[[[1, 2, 3, 4]]]])
    same = asked(row, kernel, strides=[1, 3], auto_pad="same_upper")
    assert same.tolist() == [[[[210, 43]]]]


def test_channels_are_added_and_filters_are_channels_of_the_output():
    data = np.array([[[1, 2], [10, 20]], [[3, 4], [30, 40]]])  # [N, C_IN, X]
    kernel = np.array([[[1], [1]], [[1], [0]], [[0], [2]]])  # [C_OUT, C_IN, X]
    assert asked(data, kernel).tolist() == [
        [[11, 22], [1, 2], [20, 40]],
        [[33, 44], [3, 4], [60, 80]],
    ]


def test_three_spatial_axes():
    data = np.arange(8).reshape(1, 1, 2, 2, 2)
    kernel = np.array([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000])
    assert asked(data, kernel.reshape(1, 1, 2, 2, 2)).tolist() == [[[[[76543210]]]]]


def test_integers_wrap_in_their_type():
    wrapped = asked(np.full((1, 1, 2), 100, np.int8), np.ones((1, 1, 2), np.int8))
    assert wrapped.dtype == np.int8
    assert wrapped.tolist() == [[[200 - 256]]]


def test_reals_are_summed_in_float64():
    data = np.array([[[1, 2**-30]]], np.float32)
    summed = asked(data, np.ones((1, 1, 2), np.float32))
    assert summed.dtype == np.float64
    assert summed.tolist() == [[[1 + 2.0**-30]]]


@pytest.mark.parametrize(
    "attributes, sentence",
    [
        ({"data": np.zeros((1, 1))}, "Convolution-1: data must have rank 3, 4 or 5, got 2"),
        ({"kernel": np.zeros((1, 1, 1))}, "rank 4 and 1 input channels"),
        ({"strides": [1, 0]}, "strides must be 1 or more"),
        ({"auto_pad": "same"}, "auto_pad must be explicit, same_upper, same_lower or valid"),
    ],
)
def test_errors(attributes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(**attributes)


def test_windows_are_copied_in_parts(monkeypatch):
    random = np.random.RandomState(0)
    data, kernel = random.uniform(-1, 1, (2, 3, 9, 7)), random.uniform(-1, 1, (4, 3, 3, 2))
    attributes = {"strides": [2, 1], "pads_begin": [1, 0], "pads_end": [1, 1], "dilations": [1, 2]}
    whole = asked(data, kernel, **attributes)
    for most in (1, 400, 700):
        monkeypatch.setattr(convolving, "_ELEMENTS", most)
        found = asked(data, kernel, **attributes)
        np.testing.assert_allclose(found, whole, rtol=1e-12, atol=1e-14)
