"""ROIAlignRotated: turned points by hand."""

import numpy as np
import pytest

from reference.detection.roi_align_rotated import roi_align_rotated

# 10·row + column: what is interpolated is 10·y + x.
DATA = (10.0 * np.arange(7)[:, None] + np.arange(9))[None, None]
RIGHT = np.pi / 2


def asked(*box, indices=(0,), **attributes):
    given = {"pooled_h": 1, "pooled_w": 2, "sampling_ratio": 1, "spatial_scale": 1.0}
    rois = np.array([box], float)
    return roi_align_rotated(DATA, rois, np.array(indices), **{**given, **attributes})[0, 0]


@pytest.mark.parametrize(
    "angle, clockwise, values",
    [
        # The middles of the bins are one column to the left and to the right of (row 3, column 4).
        (0.0, False, [33, 35]),
        # Turned counterclockwise the left bin is below, clockwise it is above.
        (RIGHT, False, [44, 24]),
        (RIGHT, True, [24, 44]),
        (-RIGHT, False, [24, 44]),
        (np.pi, False, [35, 33]),
        (2 * np.pi, True, [33, 35]),
    ],
)
def test_right_angles(angle, clockwise, values):
    found = asked(4.5, 3.5, 4, 2, angle, clockwise_mode=clockwise)
    np.testing.assert_allclose(found, [values], rtol=1e-13)


def test_thirty_degrees():
    # The right bin is cos 30 to the right, and sin 30 up.
    found = asked(4.5, 3.5, 4, 2, np.pi / 6)
    root = np.sqrt(3) / 2
    np.testing.assert_allclose(found, [[35 + 4 - root, 25 + 4 + root]], rtol=1e-13)


def test_scale_moves_the_center():
    # Center (9, 7) and size 4 x 2, halved: column 4.5 - 0.5, row 3.5 - 0.5.
    np.testing.assert_allclose(asked(9, 7, 8, 4, 0, spatial_scale=0.5), [[33, 35]], rtol=1e-13)


def test_negative_sizes_go_backwards():
    np.testing.assert_allclose(asked(4.5, 3.5, -4, 2, 0), [[35, 33]], rtol=1e-13)
    assert np.isnan(asked(4.5, 3.5, -4, 2, 0, sampling_ratio=0)).all()


def test_points_as_bins_are_long():
    # One row of two points: columns 3.5 and 4.5 less the half.
    found = asked(4.5, 3.5, 1.5, 1, 0, sampling_ratio=0, pooled_w=1)
    np.testing.assert_allclose(found, [[34]], rtol=1e-13)


def test_beyond_the_edge():
    # The center of a box without a size is half an element above the first row.
    assert asked(4.5, 0, 0, 0, 0, pooled_w=1).tolist() == [[4]]
    assert asked(4.5, 0, 0, 0, 0, pooled_w=1, beyond="zero").tolist() == [[2]]
