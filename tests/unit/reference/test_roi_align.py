"""ROIAlign: points in bins by hand."""

import numpy as np
import pytest

from reference.detection.roi_align import roi_align

# 10·row + column: what is interpolated is 10·y + x.
MAP = 10.0 * np.arange(5)[:, None] + np.arange(6)
DATA = np.stack([MAP, -MAP])[None]


def asked(*box, data=DATA, indices=(0,), **attributes):
    given = {"pooled_h": 1, "pooled_w": 2, "sampling_ratio": 1, "spatial_scale": 1.0, "mode": "avg"}
    rois = np.array([box], float)
    return roi_align(data, rois, np.array(indices), **{**given, **attributes})[0]


def test_the_middle_of_each_bin():
    # Bins of 2 columns from 1 on, in the middle of rows 1 to 3.
    np.testing.assert_allclose(asked(1, 1, 5, 3), [[[22, 24]], [[-22, -24]]], rtol=1e-14)


def test_several_points_of_a_bin():
    # Columns 1.5, 2.5 and rows 1.25, 2.75 of the first bin.
    assert asked(1, 0.5, 5, 3.5, sampling_ratio=2)[0].tolist() == [[22, 24]]
    found = asked(1, 0.5, 5, 3.5, sampling_ratio=2, mode="max")
    assert found.tolist() == [[[30, 32]], [[-14, -16]]]


def test_as_many_points_as_a_bin_is_long():
    # Height 3 and widths of 1.5: 3 and 2 points; the largest are the last.
    found = asked(1, 0, 4, 3, sampling_ratio=0, mode="max")[0]
    np.testing.assert_allclose(found, [[25 + 1 + 1.125, 25 + 2.5 + 1.125]], rtol=1e-14)


@pytest.mark.parametrize("box", [(2, 1, 2, 1), (2, 1, 1, 0), (2, 1, 2.5, 1.75)])
def test_malformed_boxes_are_of_size_1_x_1(box):
    np.testing.assert_allclose(asked(*box)[0], [[15 + 2.25, 15 + 2.75]], rtol=1e-14)


def test_coordinates_of_each_mode():
    # Half of 2 to 6: from 1 to 3; half a point less; and, of half_pixel, (2.5 · 0.5) - 0.5.
    box = (2, 2, 6, 6)
    for mode, begin in (("asymmetric", 1), ("half_pixel_for_nn", 0.5), ("half_pixel", 0.75)):
        found = asked(*box, spatial_scale=0.5, aligned_mode=mode)[0]
        y = begin + 1
        np.testing.assert_allclose(
            found, [[10 * y + begin + 0.5, 10 * y + begin + 1.5]], rtol=1e-14
        )


def test_inverted_boxes_of_other_modes_stay_inverted():
    found = asked(5.5, 3.5, 1.5, 1.5, aligned_mode="half_pixel_for_nn")[0]
    assert found.tolist() == [[24, 22]]
    found = asked(5.5, 3.5, 1.5, 1.5, aligned_mode="half_pixel_for_nn", sampling_ratio=0)
    assert np.isnan(found).all()


def test_beyond_the_edge():
    # Column 5.5 is 5, or half of it, at row 4.
    box = (5, 3.5, 6, 4.5)
    assert asked(*box, pooled_w=1)[0].tolist() == [[45]]
    assert asked(*box, pooled_w=1, beyond="zero")[0].tolist() == [[22.5]]


def test_errors():
    with pytest.raises(ValueError, match="mode must be max or avg"):
        asked(0, 0, 1, 1, mode="sum")
