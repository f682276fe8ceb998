"""Points on feature maps: what maps hold there, by hand."""

import numpy as np
import pytest

from reference.shared.regions import Points

MAP = np.array([[[[1.0, 3.0], [5.0, 7.0], [9.0, 13.0]]]])


def points(y, x, beyond="nothing"):
    return Points(
        (3, 2),
        np.zeros(1, int),
        np.zeros((1, 1, 1, 1), int),
        np.array(y).reshape(1, 1, 1, 1, -1),
        np.array(x).reshape(1, 1, 1, 1, -1),
        (np.ones(1), np.ones(1)),
        beyond,
    )


def test_values_between_elements():
    found = points([0.0, 0.5, 2.0, 1.25], [0.0, 0.5, 1.0, 0.5]).of(MAP)
    # 6 + (11 - 6) / 4 in the last place.
    assert found.ravel().tolist() == [1, 4, 13, 7.25]


def test_each_region_has_its_image_and_each_channel_its_map():
    maps = np.arange(48.0).reshape(2, 4, 3, 2)
    batch, channels = np.array([1, 0, 1]), np.array([3, 1]).reshape(2, 1, 1, 1)
    y, x = np.array([2.0, 1.0, 0.5]).reshape(3, 1, 1, 1, 1), np.array([[1.0, 0.5]])
    found = Points((3, 2), batch, channels, y, x, (np.ones(1), np.ones(1))).of(maps)
    assert found.shape == (3, 2, 1, 1, 2)
    assert found[0, 0].ravel().tolist() == [maps[1, 3, 2, 1], maps[1, 3, 2].mean()]
    assert found[1, 1].ravel().tolist() == [maps[0, 1, 1, 1], maps[0, 1, 1].mean()]
    assert found[2, 1].ravel().tolist() == [maps[1, 1, :2, 1].mean(), maps[1, 1, :2].mean()]
    # Elsewhere infinities change nothing.
    maps[0, 0], maps[1, 3, 0] = np.inf, np.nan
    other = Points((3, 2), batch, channels, y, x, (np.ones(1), np.ones(1))).of(maps)
    assert np.array_equal(other[:2], found[:2])


@pytest.mark.parametrize("image, channel", [(2, 0), (-1, 0), (0, 4), (0, -1)])
def test_an_image_or_a_map_that_there_is_not(image, channel):
    """In one flat array these would be elements of others."""
    where = np.array([image]), np.array([channel]).reshape(1, 1, 1, 1)
    at = np.ones((1, 1, 1, 1, 1))
    with pytest.raises(IndexError, match="where there are"):
        Points((3, 2), *where, at, at, (np.ones(1), np.ones(1))).of(np.ones((2, 4, 3, 2)))


def test_beyond_the_map():
    at = ([-0.5, 2.75, 3.5], [0.0, 1.0, 1.0])
    assert points(*at).unknown.ravel().tolist() == [True, True, True]
    edge, zero = points(*at, "edge"), points(*at, "zero")
    assert edge.unknown.ravel().tolist() == [False, False, True]
    assert edge.of(MAP).ravel().tolist()[:2] == [1, 13]
    assert zero.of(MAP).ravel().tolist()[:2] == [0.5, 3.25]


def test_numbers_that_are_not_finite_count_with_a_weight():
    given = points([0.0, 0.0, 0.5, 2.0], [0.0, 0.5, 1.0, 0.5])
    maps = MAP.copy()
    maps[0, 0, 0, 1] = np.nan
    assert np.isnan(given.of(maps)).ravel().tolist() == [False, True, True, False]
    # At the element beside it a rounding decides.
    assert given.unsure(maps, np.array([1e-6])).ravel().tolist() == [True, False, False, False]
    maps[0, 0, 0, 1] = np.inf
    assert given.of(maps).ravel().tolist() == [1, np.inf, np.inf, 11]
    assert given.unsure(maps, np.array([1e-6])).ravel().tolist() == [True, True, True, False]


def test_beyond_the_edge_the_next_element_has_no_weight():
    """A point above the map is on its first row: 0 times the second row, which may be infinite, is left out or not."""
    given = points([-0.5, -0.5, 2.5], [0.5, 0.5, 0.5], "edge")
    maps = MAP.copy()
    maps[0, 0, 1, 0] = np.inf
    assert given.of(maps).ravel().tolist() == [2, 2, 11]
    assert given.unsure(maps, np.array([1e-6])).ravel().tolist() == [True, True, True]
    maps[0, 0, 1, 0] = 5
    maps[0, 0, 2, 0] = np.inf
    assert given.unsure(maps, np.array([1e-6])).ravel().tolist() == [False, False, True]


def test_differences_of_elements_may_overflow():
    """Between -3 and 4 the value is in range, their difference of 7 may not be; from -1 to 4 it is 5."""
    maps = np.array([[[[-3.0, -1.0], [4.0, 4.0], [4.0, 4.0]]]])
    given, error = points([0.5, 1.5], [0.0, 0.5]), np.array([1e-6])
    assert given.steep(maps, error, 7.0).ravel().tolist() == [True, False]
    assert given.steep(maps, error, 7.5).ravel().tolist() == [False, False]
    # A rounding of the coordinate leads to the elements on the other side.
    near = points([1.0, 1.1, 0.5], [0.0, 0.0, 1.0])
    assert near.steep(maps, error, 7.0).ravel().tolist() == [True, False, True]
