"""BinaryConvolution: bits counted by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.convolution.binary_convolution import binary_convolution

USUAL = {
    "strides": (1, 1),
    "pads_begin": (0, 0),
    "pads_end": (0, 0),
    "dilations": (1, 1),
    "mode": "xnor-popcount",
    "pad_value": 1.0,
}


def asked(data, kernel, **attributes):
    found = binary_convolution(
        np.array([[data]]), np.array([[kernel]], np.uint8), **{**USUAL, **attributes}
    )
    return found.tolist()[0][0]


def test_equal_bits_count_one_and_others_minus_one():
    # XNOR 1 0 0, 1 1 0 -> 2 * 1 - 3 and 2 * 2 - 3
    assert asked([[1, 1, 0, 0]], [[1, 0, 1]]) == [[-1, 1]]
    assert asked([[1, 0, 1]], [[1, 0, 1]]) == [[3]]
    assert asked([[0, 1, 0]], [[1, 0, 1]]) == [[-3]]


@pytest.mark.parametrize(
    "pad_value, expected", [(1.0, [2, 0]), (0.0, [0, -2]), (-1.0, [0, -2]), (0.5, [1.5, -0.5])]
)
def test_padding(pad_value, expected):
    # The filter 1 1 over the image 1 and 0, with one element of padding in front: pad 1, 1 0.
    found = asked([[1.0, 0.0]], [[1, 1]], pads_begin=(0, 1), pad_value=pad_value)
    assert found[0][0] == expected[0]
    assert found[0][1] == 0
    behind = asked([[1.0, 0.0]], [[1, 1]], pads_end=(0, 1), pad_value=pad_value)
    assert behind[0][1] == expected[1]


def test_strides_dilations_and_channels():
    image = [[1, 0, 0, 1, 1]]
    assert asked(image, [[1, 1]], strides=(1, 2)) == [[0, 0]]
    assert asked(image, [[1, 1]], dilations=(1, 3)) == [[2, 0]]
    data = np.array([[[[1, 0]], [[1, 1]]]])
    kernel = np.array([[[[1]], [[1]]], [[[0]], [[1]]]], np.uint8)
    assert binary_convolution(data, kernel, **USUAL).tolist() == [[[[2, 0]], [[0, 2]]]]


def verdict(actual, pad_value):
    data, kernel = np.array([[[[1, 0]]]], np.float32), np.ones((1, 1, 1, 2), np.uint8)
    attributes = {**USUAL, "pads_begin": (0, 1), "pads_end": (0, 1), "pad_value": pad_value}
    (expected,) = answer("BinaryConvolution-1", [data, kernel], attributes, ["f32"])
    given = np.array([[[actual]]], np.float32)
    return compare(expected.chosen([given]), given).wrong


def test_padding_with_0_may_be_a_bit_or_nothing():
    assert verdict([0, 0, -2], 0.0) == 0
    assert verdict([1, 0, -1], 0.0) == 0
    # Not one here and the other there.
    assert verdict([0, 0, -1], 0.0) == 1
    assert verdict([0, 0, -2], -1.0) == 0
    assert verdict([1, 0, -1], -1.0) == 2


def test_integers():
    found = binary_convolution(
        np.ones((1, 200, 1, 1), np.int8), np.ones((1, 200, 1, 1), np.uint8), **USUAL
    )
    assert (found.dtype, found.tolist()) == (np.int8, [[[[200 - 256]]]])
