"""DeformableConvolution: places between elements, outside the image, and groups, by hand."""

import numpy as np
import pytest

from reference import answer, compare
from reference.convolution.convolution import convolution
from reference.convolution.deformable_convolution import (
    deformable_convolution,
    deformable_convolution_1,
)

IMAGE = np.array([[[[1.0, 2, 4], [8, 16, 32], [64, 128, 256]]]])
ONE = np.ones((1, 1, 1, 1))
USUAL = {"strides": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "dilations": [1, 1]}


def sampled(y, x, **attributes):
    """What a window of one element samples where the middle of the image is moved by y and x."""
    offsets = np.zeros((1, 2, 3, 3))
    offsets[0, :, 1, 1] = y, x
    return deformable_convolution(IMAGE, offsets, ONE, **USUAL, **attributes)[0, 0, 1, 1]


def test_interpolation_along_y_and_x():
    assert sampled(0, 0) == 16
    assert sampled(0.25, 0) == 16 * 0.75 + 128 * 0.25
    assert sampled(0, 0.25) == 16 * 0.75 + 32 * 0.25
    assert sampled(-0.5, 0.5) == (2 + 4 + 16 + 32) / 4
    assert sampled(1, -1) == 64


@pytest.mark.parametrize(
    "y, x, border, padded",
    [
        (-1.25, 0, 2, 1.5),
        (1.25, 0, 128, 96),
        (0, 1.5, 32, 16),
        (-1.5, -1.5, 1, 0.25),
        (1.5, -0.5, 96, 48),
        # A pixel and more outside.
        (-2, 0, 0, 0),
        (2, 0, 0, 0),
        (0, 2.5, 0, 0),
        (-7, 9, 0, 0),
    ],
)
def test_outside_the_image(y, x, border, padded):
    assert sampled(y, x) == border
    assert sampled(y, x, bilinear_interpolation_pad=True) == padded


def test_without_offsets_it_is_a_convolution():
    state = np.random.RandomState(2)
    data, kernel = state.standard_normal((2, 3, 6, 7)), state.standard_normal((4, 3, 2, 3))
    attributes = {
        "strides": [2, 1],
        "pads_begin": [1, 0],
        "pads_end": [0, 2],
        "dilations": [2, 1],
    }
    usual = convolution(data, kernel, **attributes)
    offsets = np.zeros((2, 12, *usual.shape[2:]))
    mask = np.full((2, 6, *usual.shape[2:]), 0.5)
    found = deformable_convolution_1(data, offsets, kernel, **attributes)
    np.testing.assert_allclose(found, usual, rtol=1e-12, atol=1e-12)
    masked = deformable_convolution(data, offsets, kernel, mask, **attributes)
    np.testing.assert_allclose(masked, usual / 2, rtol=1e-12, atol=1e-12)


def test_offsets_and_mask_of_each_element():
    # A window of two elements side by side: y and x of the first, then of the second.
    offsets = np.array([1.0, 0, 0, 1]).reshape(1, 4, 1, 1)
    data, kernel = IMAGE[:, :, :2], np.array([[[[1.0, 10]]]])
    attributes = {**USUAL, "strides": [2, 2]}
    mask = np.array([0.5, 0.25]).reshape(1, 2, 1, 1)
    found = deformable_convolution(data, offsets, kernel, mask, **attributes)
    assert found.tolist() == [[[[8 * 0.5 + 4 * 10 * 0.25]]]]


def test_groups_of_channels_and_of_offsets():
    data = np.array([[[[1.0, 2]], [[10, 20]]]])
    kernel = np.ones((2, 1, 1, 1))
    offsets = np.zeros((1, 4, 1, 2))
    offsets[0, 3, 0, 0] = 1
    attributes = {**USUAL, "deformable_group": 2}
    found = deformable_convolution_1(data, offsets, kernel, group=2, **attributes)
    assert found.tolist() == [[[[1, 2]], [[20, 20]]]]
    # Of one group the second output alone is moved, over both of its channels.
    found = deformable_convolution_1(data, offsets, np.ones((2, 2, 1, 1)), group=1, **attributes)
    assert found.tolist() == [[[[11, 22]], [[22, 22]]]]


def test_integers():
    offsets = np.zeros((1, 2, 3, 3), np.int8)
    offsets[0, 1, 1, 1] = 1
    found = deformable_convolution_1(
        IMAGE.astype(np.int8), offsets, np.full((1, 1, 1, 1), 3, np.int8), **USUAL
    )
    assert found.dtype == np.int8
    assert found[0, 0, 1].tolist() == [24, 96, 96]


def test_the_bound_has_room_for_the_rounding_of_places():
    """A place of magnitude 100 is rounded by 4e-6 in f32, and what lies there changes by that times the slope."""
    data = np.zeros((1, 1, 1, 101), np.float32)
    data[..., 100] = 1000
    offsets = np.zeros((1, 2, 1, 101), np.float32)
    offsets[0, 1, 0, 99] = 0.3
    inputs = [data, offsets, np.ones((1, 1, 1, 1), np.float32)]
    (expected,) = answer("DeformableConvolution-1", inputs, USUAL, ["f32"])
    for error, wrong in ((0.007, 0), (0.1, 1)):
        actual = expected.value.astype(np.float32)
        actual[0, 0, 0, 99] += error
        assert compare(expected, actual).wrong == wrong


def test_infinities_without_weight_are_not_judged():
    data = IMAGE.astype(np.float32)
    data[0, 0, 0, 1] = np.inf
    inputs = [data, np.zeros((1, 2, 3, 3), np.float32), np.ones((1, 1, 1, 1), np.float32)]
    (expected,) = answer("DeformableConvolution-1", inputs, USUAL, ["f32"])
    # The place of the first output has the infinity as its neighbour, that of the second is the infinity.
    assert np.isinf(expected.bound).tolist() == [[[[True, False, False], [False] * 3, [False] * 3]]]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"data": np.zeros((1, 1, 3))}, "inputs must have rank 4"),
        ({"deformable_group": 2}, "deformable_group must divide 1"),
        ({"group": 0}, "groups must be 1 or more"),
    ],
)
def test_errors(changes, sentence):
    given = {"data": IMAGE, "offsets": np.zeros((1, 2, 3, 3)), "kernel": ONE, **USUAL, **changes}
    with pytest.raises(ValueError, match=sentence):
        deformable_convolution(**given)
