"""ExperimentalDetectronROIFeatureExtractor: levels and points by hand."""

import numpy as np
import pytest

from reference.detection.experimental_detectron_roi_feature_extractor import (
    experimental_detectron_roi_feature_extractor,
)


def linear(height, width, first):
    """first + 10·row + column: what is interpolated is linear as well."""
    return (first + 10.0 * np.arange(height)[:, None] + np.arange(width))[None, None]


# Of an image of 512 x 1024.
PYRAMID = [linear(16, 32, 1000), linear(8, 16, 2000), linear(4, 8, 3000), linear(2, 4, 4000)]
SCALES = (32, 64, 128, 256)


def asked(*boxes, pyramid=PYRAMID, **attributes):
    given = {"output_size": 1, "sampling_ratio": 1, "pyramid_scales": SCALES, **attributes}
    return experimental_detectron_roi_feature_extractor(np.array(boxes, float), *pyramid, **given)


@pytest.mark.parametrize(
    "width, height, level",
    [
        (56, 56, 0),
        (40, 40, 0),
        (111, 112, 0),
        (112, 112, 1),
        (224, 56, 1),
        (223, 223, 1),
        (224, 224, 2),
        (448, 448, 3),
        (1000, 500, 3),
    ],
)
def test_the_size_of_a_box_decides_its_level(width, height, level):
    features, _ = asked((0, 0, width, height))
    assert features[0, 0, 0, 0] // 1000 - 1 == level


def test_a_level_without_a_layer_is_the_last_one():
    features, _ = asked((0, 0, 500, 500), pyramid=PYRAMID[:2])
    # The middle of a box of 500 / 64 elements.
    assert features[0, 0, 0, 0] == 2000 + 11 * 250 / 64


@pytest.mark.parametrize("aligned, shift", [(False, 0), (True, -0.5)])
def test_bins_have_their_middles(aligned, shift):
    # Rows from 1 to 4, columns from 2 to 5: bins of 1.5.
    features, _ = asked((64, 32, 160, 128), output_size=2, aligned=aligned)
    rows, columns = np.array([1.75, 3.25]) + shift, np.array([2.75, 4.25]) + shift
    assert features[0, 0].tolist() == (1000 + 10 * rows[:, None] + columns).tolist()


def test_points_as_bins_are_long():
    # Three points of each row: columns 2.5, 3.5 and 4.5.
    squares = [linear(16, 32, 1000) ** 2]
    features, _ = asked((64, 32, 160, 64), pyramid=squares, sampling_ratio=0)
    # Between two elements the square is larger by a quarter, between four by (1 + 100) / 4.
    expected = np.mean([(1000 + 15 + x) ** 2 + 101 / 4 for x in (2.5, 3.5, 4.5)])
    np.testing.assert_allclose(features, [[[[expected]]]], rtol=1e-13)


def test_small_boxes_are_one_element():
    box = (64, 32, 80, 48)
    assert asked(box)[0].item() == 1000 + 10 * 1.5 + 2.5
    assert asked(box, aligned=True)[0].item() == 1000 + 10 * 1 + 2
    found, _ = asked(box, aligned=True, least="one_unless_aligned")
    assert found.item() == 1000 + 10 * 0.75 + 1.75


def test_beyond_the_edge():
    box = (0, 64, 32, 96)
    assert asked((-32, 64, 0, 96))[0].item() == 1000 + 25
    assert asked((-32, 64, 0, 96), beyond="zero")[0].item() == (1000 + 25) / 2
    assert asked(box)[0].item() == 1000 + 25.5


def test_boxes_are_sorted_by_level_and_features_are_not():
    large, small, other = (0, 0, 300, 300), (0, 0, 96, 96), (32, 0, 128, 96)
    features, boxes = asked(large, small, other)
    assert (features.ravel() // 1000).tolist() == [3, 1, 1]
    assert boxes.tolist() == [list(small), list(other), list(large)]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"pyramid_scales": (32, 64, 128, 0)}, "there must be 4 positive scales"),
        ({"pyramid": [np.zeros((1, 1, 0, 4))]}, "layers must be of one image"),
        ({"pyramid": [np.zeros((1, 4, 4))]}, r"rois must be \[R, 4\] and layers"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=f"ExperimentalDetectronROIFeatureExtractor-6: {sentence}"):
        asked((0, 0, 96, 96), **changes)
