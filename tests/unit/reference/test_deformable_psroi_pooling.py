"""DeformablePSROIPooling: points of bins by hand."""

import numpy as np
import pytest

from reference.detection.deformable_psroi_pooling import deformable_psroi_pooling

# 1000·channel + 10·row + column: what is interpolated is linear as well.
MAP = 10.0 * np.arange(9)[:, None] + np.arange(12)
DATA = (1000.0 * np.arange(16)[:, None, None] + MAP)[None]
FOUR = 1000 * np.arange(4).reshape(2, 2)
# From (row 1, column 2), bins of 2 rows by 4 columns.
BOX = (2, 1, 10, 5)


def asked(*box, offsets=None, **attributes):
    given = {"output_dim": 4, "group_size": 2, "spatial_scale": 1.0, "part_size": 2, **attributes}
    rois = np.array([[0, *box]], float)
    offsets = None if offsets is None else np.array(offsets, float).reshape(1, -1, 2, 2)
    return deformable_psroi_pooling(DATA, rois, offsets, **given)[0]


def test_one_point_of_each_bin_is_its_left_top_corner():
    found = asked(*BOX)
    assert found[0].tolist() == (FOUR + np.array([[12, 16], [32, 36]])).tolist()
    assert (found[3] - found[0]).tolist() == [[12000, 12000], [12000, 12000]]


def test_or_its_middle():
    assert (
        asked(*BOX, samples="centers")[0].tolist()
        == (FOUR + np.array([[24, 28], [44, 48]])).tolist()
    )


@pytest.mark.parametrize(
    "bins, first", [((2, 1), 13), ((4, 1), 13.5), ((1, 2), 17), ((2, 2), 18), ((1, 4), 19.5)]
)
def test_points_of_sub_bins_are_averaged(bins, first):
    # Two points along x: columns 2 and 4; along y: rows 1 and 2.
    found = asked(*BOX, spatial_bins_x=bins[0], spatial_bins_y=bins[1])
    assert found[0, 0, 0] == first


def test_corners_may_be_pixels():
    # 1.6 is rounded to 2, 9.4 to 9: columns from 2 to 10, half an element before.
    found = asked(1.6, 1.2, 9.4, 4.4, corners="pixels")
    assert found[0].tolist() == (FOUR + np.array([[6.5, 10.5], [26.5, 30.5]])).tolist()
    # Of an image of twice the size: begin (0.5, 1), size 2 by 4, less the half.
    found = asked(2, 1, 9, 4, corners="pixels", spatial_scale=0.5)
    assert found[0, 0, 0] == 0.5


def test_offsets_move_bins_by_fractions_of_the_box():
    x, y = [[0, 0.25], [0.5, 0]], [[0, 0], [0, 1]]
    found = asked(*BOX, offsets=[x, y], trans_std=0.5)
    # 8 columns * 0.5 * 0.25, 8 * 0.5 * 0.5, 4 rows * 0.5.
    expected = FOUR + np.array([[12, 16 + 1], [32 + 2, 36 + 20]])
    assert found[0].tolist() == expected.tolist()
    assert asked(*BOX, offsets=[x, y], trans_std=0.0).tolist() == asked(*BOX).tolist()


def test_classes_share_the_channels():
    moved = np.zeros((2, 2, 2, 2))
    moved[1, 0] = 0.25
    shifts = asked(*BOX, offsets=moved) - asked(*BOX)
    assert shifts[:, 0, 0].tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"group_size": 0}, "group_size must be at least 1"),
        ({"output_dim": 0}, "output_dim must be at least 1"),
        ({"part_size": 0}, "part_size must be at least 1"),
        ({"offsets": np.zeros(12)}, "offsets must be"),
        ({"offsets": np.zeros(24)}, "offsets must be"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=f"DeformablePSROIPooling-1: {sentence}"):
        asked(*BOX, **changes)
