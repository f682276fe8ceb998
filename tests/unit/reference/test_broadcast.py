import numpy as np
import pytest

from reference.movement.broadcast import broadcast_1, broadcast_3

both = pytest.mark.parametrize("broadcast", [broadcast_1, broadcast_3])


@both
def test_numpy_is_the_default(broadcast):
    column = np.array([[1], [2]])
    spread = broadcast(column, np.array([2, 2, 3]))
    assert spread.tolist() == [[[1, 1, 1], [2, 2, 2]]] * 2
    np.testing.assert_array_equal(broadcast(column, np.array([2, 2, 3]), mode="numpy"), spread)


@both
def test_explicit_places_the_dimensions(broadcast):
    channels = np.array([7, 8])
    spread = broadcast(channels, np.array([1, 2, 3]), np.array([1]), mode="explicit")
    assert spread.tolist() == [[[7, 7, 7], [8, 8, 8]]]
    plane = np.array([[1, 2, 3], [4, 5, 6]])
    spread = broadcast(plane, np.array([2, 2, 3, 2]), np.array([1, 2]), mode="explicit")
    for n, h, w, c in np.ndindex(2, 2, 3, 2):
        assert spread[n, h, w, c] == plane[h, w]


@both
def test_explicit_tells_equal_dimensions_apart(broadcast):
    data = np.array([[1, 2], [3, 4]])
    spread = broadcast(data, np.array([2, 2, 2]), np.array([0, 2]), mode="explicit")
    assert spread.tolist() == [[[1, 2], [1, 2]], [[3, 4], [3, 4]]]


def test_bidirectional_keeps_what_the_target_has_as_1():
    spread = broadcast_3(np.array([[1], [2], [3]]), np.array([2, 1, 2]), mode="bidirectional")
    assert spread.tolist() == [[[1, 1], [2, 2], [3, 3]]] * 2
    same = broadcast_3(np.array([[1, 2], [3, 4]]), np.array([], np.int64), mode="bidirectional")
    assert same.tolist() == [[1, 2], [3, 4]]


def test_shapes_of_the_page_examples():
    target = np.array([1, 16, 50, 50])
    assert broadcast_3(np.zeros((16, 1, 1)), target).shape == (1, 16, 50, 50)
    assert broadcast_3(np.zeros(16), target, np.array([1]), mode="explicit").shape == (
        1,
        16,
        50,
        50,
    )
    both_ways = broadcast_3(np.zeros((16, 1, 1)), np.array([1, 1, 50, 50]), mode="bidirectional")
    assert both_ways.shape == (1, 16, 50, 50)


def test_strings_stay_objects():
    assert broadcast_1(np.array(["a", ""], object), np.array([2, 2])).tolist() == [["a", ""]] * 2


def test_modes():
    with pytest.raises(ValueError, match="Broadcast-1: mode must be numpy or explicit"):
        broadcast_1(np.zeros(3), np.array([3]), mode="bidirectional")
    with pytest.raises(ValueError, match="Broadcast-3: mode must be numpy, explicit or bidirect"):
        broadcast_3(np.zeros(3), np.array([3]), mode="pdpd")
