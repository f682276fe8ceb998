"""PSROIPooling: bins of boxes by hand."""

import numpy as np
import pytest

from reference import answer
from reference.detection.psroi_pooling import psroi_pooling

# 1000·channel + 10·row + column: averages of elements, or of points between them, are linear as well.
MAP = 10.0 * np.arange(7)[:, None] + np.arange(9)
DATA = (1000.0 * np.arange(8)[:, None, None] + MAP)[None]
FOUR = 1000 * np.arange(4).reshape(2, 2)


def asked(*box, data=DATA, **attributes):
    given = {"output_dim": 2, "group_size": 2, "spatial_scale": 1.0, **attributes}
    return psroi_pooling(data, np.array([[0, *box]], float), **given)[0]


def test_each_bin_has_a_map_of_its_own():
    # Rows 1 and 2, 3 and 4; columns 2 to 4, 5 to 7.
    expected = FOUR + np.array([[18, 21], [38, 41]])
    assert asked(2, 1, 8, 5).tolist() == [expected.tolist(), (4000 + expected).tolist()]


def test_the_second_corner_may_be_in_the_box():
    # Rows 1 and 2, and columns 2 and 3 of the first bin.
    found = asked(2, 1, 5, 4, corners="pixels")
    assert found[0].tolist() == (FOUR + np.array([[17.5, 19.5], [37.5, 39.5]])).tolist()
    # 1.6 is rounded to 2, 4.8 to 5; pixels of half an element: columns [1, 3), rows [0.5, 2).
    found = asked(
        1.6, 1.2, 4.8, 3.4, corners="pixels", spatial_scale=0.5, group_size=1, output_dim=8
    )
    assert found[0].tolist() == [[(0 + 10) / 2 + 1.5]]


def test_a_bin_takes_every_element_that_it_touches():
    # Half of the image: columns 0 to 3, of which each bin touches two; row 0.
    found = asked(0, 0, 6, 2, spatial_scale=0.5)
    assert found[0].tolist() == (FOUR + np.array([[0.5, 1.5], [0.5, 1.5]])).tolist()


def test_a_bin_has_what_there_is_of_it():
    # Columns 7 and 8 of 7 to 10; nothing of 11 to 14.
    found = asked(7, 0, 15, 2)
    np.testing.assert_array_equal(found[0], [[7.5, np.nan], [2000 + 17.5, np.nan]])


@pytest.mark.parametrize(
    "bin_, value, is_open",
    [
        ([-3e38, -3e38, np.inf, 1.0], np.inf, True),  # -inf and inf, if the first two overflow
        ([-3e38, 3.0, np.inf, 1.0], np.inf, False),
        ([-3e38, -3e38, 3e38, 1.0], -7.5e37, True),
        ([-3e38, -3e38, np.nan, 1.0], np.nan, False),
    ],
)
def test_sums_that_may_overflow_are_open(bin_, value, is_open):
    data = np.array(bin_, np.float32).reshape(1, 1, 2, 2)
    attributes = {"output_dim": 1, "group_size": 1, "spatial_scale": 1.0, "mode": "average"}
    (expected,) = answer(
        "PSROIPooling-1", [data, np.array([[0, 0, 0, 2, 2]], np.float32)], attributes, ["f32"]
    )
    assert np.isclose(expected.value.item(), value, rtol=1e-6, equal_nan=True)
    assert expected.bound is not None
    assert np.isposinf(expected.bound).item() == is_open


BILINEAR = {"mode": "bilinear", "spatial_bins_x": 2, "spatial_bins_y": 2}


@pytest.mark.parametrize(
    "points, along_y, along_x",
    [
        # Bins of 1.5 by 2 elements from (1.5, 2), and the middles of the points of both bins.
        ("edges", [2.25, 3.75], [3, 5]),
        ("centers", [2.625, 3.375], [3.5, 4.5]),
    ],
)
def test_bilinear(points, along_y, along_x):
    found = asked(0.25, 0.25, 0.75, 0.75, points=points, **BILINEAR)
    # The four maps of a channel have the average 1500.
    expected = 1500 + 10 * np.array(along_y)[:, None] + np.array(along_x)
    np.testing.assert_allclose(found, [expected, 4000 + expected], rtol=1e-13)


def test_the_maps_of_a_bin_may_stand_side_by_side():
    # Every second one: the average of 0, 2, 4 and 6.
    found = asked(0, 0, 1, 1, group_size=1, maps="of_a_bin", **BILINEAR)
    np.testing.assert_allclose(found[:, 0, 0], [3034, 4034], rtol=1e-13)


def test_bilinear_takes_each_bin_from_its_map():
    weights = np.array([1.0, 10, 100, 1000]).reshape(4, 1, 1)
    found = asked(0, 0, 1, 1, data=(weights * MAP)[None], output_dim=1, group_size=1, **BILINEAR)
    # Middles of the quarters of 6 by 8: rows 1.5 and 4.5, columns 2 and 6.
    expected = (1 * 17 + 10 * 21 + 100 * 47 + 1000 * 51) / 4
    np.testing.assert_allclose(found, [[[expected]]], rtol=1e-13)


def test_scale_of_fractions():
    one = asked(0.25, 0.25, 0.75, 0.75, **BILINEAR)
    two = asked(0.125, 0.125, 0.375, 0.375, spatial_scale=2.0, **BILINEAR)
    np.testing.assert_allclose(one, two, rtol=1e-13)


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"group_size": 0}, "group_size must be at least 1"),
        ({"output_dim": 0}, "output_dim must be at least 1"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=f"PSROIPooling-1: {sentence}"):
        asked(0, 0, 4, 4, **changes)
