"""GroupConvolution: groups by hand, and as convolutions."""

import numpy as np
import pytest

from reference.convolution.convolution import convolution
from reference.convolution.group_convolution import group_convolution

LINE = {"strides": [1], "pads_begin": [0], "pads_end": [0], "dilations": [1]}


def test_each_group_has_its_own_channels_and_filters():
    data = np.array([[[1, 2], [10, 20], [100, 200], [1000, 2000]]])  # [N, GROUPS * C_IN, X]
    kernel = np.array(
        [[[[1], [1]], [[2], [0]], [[0], [3]]], [[[1], [1]], [[2], [0]], [[0], [3]]]]
    )  # [GROUPS, C_OUT, C_IN, X]
    assert group_convolution(data, kernel, **LINE).tolist() == [
        [[11, 22], [2, 4], [30, 60], [1100, 2200], [200, 400], [3000, 6000]]
    ]


def test_depthwise():
    data = np.array([[[1, 2, 3], [4, 5, 6]]])
    kernel = np.array([[[[1, 10]]], [[[1, -1]]]])
    assert group_convolution(data, kernel, **LINE).tolist() == [[[21, 32], [-1, -1]]]


def test_one_group_is_a_convolution():
    state = np.random.RandomState(3)
    data, kernel = state.standard_normal((2, 3, 6, 7)), state.standard_normal((4, 3, 2, 3))
    attributes = {
        "strides": [2, 1],
        "pads_begin": [1, 0],
        "pads_end": [0, 2],
        "dilations": [1, 2],
        "auto_pad": "explicit",
    }
    grouped = group_convolution(data, kernel[None], **attributes)
    np.testing.assert_array_equal(grouped, convolution(data, kernel, **attributes))


def test_groups_are_a_convolution_whose_kernel_is_zero_elsewhere():
    state = np.random.RandomState(4)
    data, kernel = state.standard_normal((2, 6, 5)), state.standard_normal((3, 4, 2, 3))
    whole = np.zeros((12, 6, 3))
    for group in range(3):
        whole[4 * group : 4 * group + 4, 2 * group : 2 * group + 2] = kernel[group]
    np.testing.assert_allclose(
        group_convolution(data, kernel, **LINE), convolution(data, whole, **LINE), rtol=1e-12
    )


@pytest.mark.parametrize(
    "data, kernel, sentence",
    [
        ((1, 4), (2, 1, 2, 1), "GroupConvolution-1: data must have rank 3, 4 or 5, got 2"),
        ((1, 4, 5), (2, 1, 2), "kernel must have one more dimension than data"),
        ((1, 4, 5), (2, 1, 2, 6), "a window of 6 must fit into an image of 5"),
    ],
)
def test_errors(data, kernel, sentence):
    with pytest.raises(ValueError, match=sentence):
        group_convolution(np.zeros(data), np.zeros(kernel), **LINE)


def test_a_batch_of_nothing_has_outputs_of_nothing():
    data, kernel = np.zeros((0, 10, 5, 7), np.float32), np.zeros((5, 3, 2, 3, 3), np.float32)
    pads = {"strides": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "dilations": [1, 1]}
    assert group_convolution(data, kernel, **pads).shape == (0, 15, 3, 5)
