import numpy as np
import pytest

from reference.movement.tile import tile


def test_whole_tensors_are_repeated_not_elements():
    assert tile(np.array([1, 2, 3]), np.array([2])).tolist() == [1, 2, 3, 1, 2, 3]
    tiled = tile(np.array([[1, 2], [3, 4]]), np.array([1, 2]))
    assert tiled.tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    tiled = tile(np.array([[1, 2], [3, 4]]), np.array([2, 1]))
    assert tiled.tolist() == [[1, 2], [3, 4], [1, 2], [3, 4]]


def test_more_repeats_than_dimensions():
    tiled = tile(np.array([1, 2]), np.array([2, 1, 2]))
    assert tiled.tolist() == [[[1, 2, 1, 2]], [[1, 2, 1, 2]]]


def test_fewer_repeats_than_dimensions():
    assert tile(np.array([[1, 2], [3, 4]]), np.array([2])).tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    assert tile(np.array([[1, 2]]), np.array([], np.int64)).tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "shape,repeats,result",
    [
        ((2, 3), [2, 2, 2], (2, 4, 6)),
        ((4, 2, 3), [2, 2], (4, 4, 6)),
        ((2, 3, 4), [1, 2, 3], (2, 6, 12)),
        ((2, 3, 4), [5, 1, 2, 3], (5, 2, 6, 12)),
        ((5, 2, 3, 4), [1, 2, 3], (5, 2, 6, 12)),
        ((), [3, 2], (3, 2)),
    ],
)
def test_shapes_of_the_page_and_each_element(shape, repeats, result):
    data = np.arange(np.prod(shape)).reshape(shape)
    tiled = tile(data, np.array(repeats))
    assert tiled.shape == result
    aligned = data.reshape((1,) * (len(result) - len(shape)) + shape)
    for index in np.ndindex(result):
        source = tuple(i % size for i, size in zip(index, aligned.shape, strict=True))
        assert tiled[index] == aligned[source]


def test_strings_stay_objects():
    tiled = tile(np.array(["a", ""], object), np.array([2]))
    assert tiled.dtype == object
    assert tiled.tolist() == ["a", "", "a", ""]


def test_no_copy_is_empty():
    assert tile(np.ones((2, 3)), np.array([2, 0])).shape == (4, 0)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match=r"Tile-1: repeats must not be negative, got \[1, -1\]"):
        tile(np.ones((2, 3)), np.array([1, -1]))
    with pytest.raises(ValueError, match="Tile-1: repeats must have rank 1, got shape"):
        tile(np.ones((2, 3)), np.array(2))
