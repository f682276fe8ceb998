"""ROIPooling: bins of boxes by hand."""

import numpy as np
import pytest

from reference import answer
from reference.detection.roi_pooling import roi_pooling

# 10·row + column of a map of 5 rows and 6 columns, and the same one negative.
MAP = 10.0 * np.arange(5)[:, None] + np.arange(6)
DATA = np.stack([MAP, -MAP])[None]


def asked(*box, pooled_h=2, pooled_w=2, spatial_scale=1.0, **attributes):
    rois = np.array([[0, *box]])
    return roi_pooling(
        DATA, rois, pooled_h=pooled_h, pooled_w=pooled_w, spatial_scale=spatial_scale, **attributes
    )[0]


def test_the_largest_of_each_bin():
    # Rows 0 to 3 and columns 1 to 4: bins of two elements.
    assert asked(1, 0, 5, 4).tolist() == [[[12, 14], [32, 34]], [[-1, -3], [-21, -23]]]


def test_a_bin_takes_every_element_that_it_touches():
    # Half of the image: columns 0 to 3 are 1.5 to each bin, [0, 1.5) touches 0 and 1, [1.5, 3) 1 and 2.
    found = asked(0, 0, 6, 2, pooled_h=1, spatial_scale=0.5)
    assert found.tolist() == [[[1, 2]], [[0, -1]]]


@pytest.mark.parametrize("box", [(3, 2, 3, 2), (3, 2, 1, 0), (3, 2, 3.5, 2.5)])
def test_malformed_boxes_are_of_size_1_x_1(box):
    assert asked(*box).tolist() == [[[23, 23], [23, 23]], [[-23, -23], [-23, -23]]]


def test_a_bin_without_elements_is_unknown():
    assert np.isnan(asked(6, 0, 8, 4)).all()


def test_bilinear_from_edge_to_edge():
    # Columns 0.2·5 = 1 and 0.5·5 = 2.5, rows 0 and 0.5·4 = 2.
    found = asked(0.2, 0, 0.5, 0.5, method="bilinear")
    np.testing.assert_allclose(found[0], [[1, 2.5], [21, 22.5]], rtol=1e-14)
    # Inverted boxes are gone through backwards; one point is in the middle.
    found = asked(0.5, 0.5, 0.2, 0, method="bilinear")
    np.testing.assert_allclose(found[0], [[22.5, 21], [2.5, 1]], rtol=1e-14)
    found = asked(0.2, 0, 0.5, 0.5, pooled_h=1, pooled_w=1, method="bilinear")
    np.testing.assert_allclose(found[0], [[11.75]], rtol=1e-14)


def test_bilinear_in_the_middles_of_bins():
    # Columns 1 + 1.5/4 and 1 + 3·1.5/4, rows 0.5 and 1.5.
    found = asked(0.2, 0, 0.5, 0.5, method="bilinear", points="centers")
    np.testing.assert_allclose(found[0], [[6.375, 7.125], [16.375, 17.125]], rtol=1e-14)


def test_a_difference_that_overflows_on_the_way_has_no_bound():
    """-m + (m + m) / 2 is 0 if 2m does not overflow; between m and m nothing does."""
    m = np.finfo(np.float32).max * np.float32(0.75)
    data = np.array([[[[-m], [m], [m]]]], np.float32)
    rois = np.array([[0, 0, 0.25, 0, 0.25], [0, 0, 0.75, 0, 0.75]], np.float32)
    attributes = {"pooled_h": 1, "pooled_w": 1, "spatial_scale": 1.0, "method": "bilinear"}
    (right,) = answer("ROIPooling-1", [data, rois], attributes)
    assert right.value.ravel().tolist() == [0, m]
    assert np.isinf(right.gate).ravel().tolist() == [True, False]


@pytest.mark.parametrize(
    "data, rois, sentence",
    [
        (DATA, [[1.0, 0, 0, 1, 1]], "a batch index is outside"),
        (DATA, [[-1.0, 0, 0, 1, 1]], "a batch index is outside"),
        (DATA, [[0.5, 0, 0, 1, 1]], "a batch index is outside"),
        (DATA, [[0.0, 0, 0, 1]], r"the boxes \[NUM_ROIS, 5\]"),
        (DATA[0], [[0.0, 0, 0, 1, 1]], "the maps must be"),
    ],
)
def test_errors(data, rois, sentence):
    with pytest.raises(ValueError, match=f"ROIPooling-1: .*{sentence}"):
        roi_pooling(data, np.array(rois), pooled_h=1, pooled_w=1, spatial_scale=1.0)


def test_the_scale_is_positive():
    with pytest.raises(ValueError, match="spatial_scale must be positive"):
        asked(0, 0, 1, 1, spatial_scale=0.0)
