"""Operations that move blocks: values worked by hand, and what the pages call the reverse of another."""

import numpy as np
import pytest

from reference.movement.batch_to_space import batch_to_space
from reference.movement.depth_to_space import depth_to_space
from reference.movement.space_to_batch import space_to_batch
from reference.movement.space_to_depth import space_to_depth

# One image of one channel, two rows of four.
ROWS = np.array([[[1, 2, 3, 4], [5, 6, 7, 8]]])


def i64(*numbers):
    return np.array(numbers, np.int64)


def test_space_to_batch():
    """The first elements of blocks of 1 x 2 are one image, the second ones the next."""
    found = space_to_batch(ROWS, i64(1, 1, 2), i64(0, 0, 0), i64(0, 0, 0))
    assert found.tolist() == [[[1, 3], [5, 7]], [[2, 4], [6, 8]]]


def test_space_to_batch_of_two_images():
    """The place in the block changes most slowly, then the batch."""
    data = np.array([[[1, 2, 3, 4]], [[5, 6, 7, 8]]])
    found = space_to_batch(data, i64(1, 1, 2), i64(0, 0, 0), i64(0, 0, 0))
    assert found.tolist() == [[[1, 3]], [[5, 7]], [[2, 4]], [[6, 8]]]


def test_space_to_batch_pads_before_it_divides():
    found = space_to_batch(np.array([[1, 2, 3]]), i64(1, 3), i64(0, 1), i64(0, 2))
    # Padded to 0 1 2 3 0 0.
    assert found.tolist() == [[0, 3], [1, 0], [2, 0]]


def test_batch_to_space():
    data = np.array([[[1, 3], [5, 7]], [[2, 4], [6, 8]]])
    found = batch_to_space(data, i64(1, 1, 2), i64(0, 0, 0), i64(0, 0, 0))
    assert found.tolist() == ROWS.tolist()


def test_batch_to_space_crops_after_it_joins():
    data = np.array([[0, 3], [1, 0], [2, 0]])
    assert batch_to_space(data, i64(1, 3), i64(0, 1), i64(0, 2)).tolist() == [[1, 2, 3]]


BLOCKS_FIRST = np.array([[[[0]], [[1]], [[2]], [[3]], [[4]], [[5]], [[6]], [[7]]]])


def test_depth_to_space_blocks_first():
    """Eight channels become two: 0 2 4 6, a block each, and 1 3 5 7."""
    found = depth_to_space(BLOCKS_FIRST, block_size=2, mode="blocks_first")
    assert found.tolist() == [[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]]


def test_depth_to_space_depth_first():
    found = depth_to_space(BLOCKS_FIRST, block_size=2, mode="depth_first")
    assert found.tolist() == [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]]


@pytest.mark.parametrize(
    ("mode", "channels"),
    [("blocks_first", [0, 4, 1, 5, 2, 6, 3, 7]), ("depth_first", list(range(8)))],
)
def test_space_to_depth(mode, channels):
    """Two channels of one block, 0 1 / 2 3 and 4 5 / 6 7."""
    data = np.arange(8).reshape(1, 2, 2, 2)
    found = space_to_depth(data, block_size=2, mode=mode)
    assert found.shape == (1, 8, 1, 1)
    assert found.ravel().tolist() == channels


@pytest.mark.parametrize("mode", ["blocks_first", "depth_first"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 6, 4), (1, 2, 2, 4, 6)])
def test_space_to_depth_and_depth_to_space_are_reverse(mode, shape):
    data = np.arange(np.prod(shape)).reshape(shape)
    depth = space_to_depth(data, block_size=2, mode=mode)
    assert depth.shape != shape
    np.testing.assert_array_equal(depth_to_space(depth, block_size=2, mode=mode), data)


@pytest.mark.parametrize(
    ("shape", "block", "begin", "end"),
    [
        ((2, 6), (1, 3), (0, 0), (0, 0)),
        ((3, 4, 5, 7), (1, 1, 2, 3), (0, 0, 1, 3), (0, 0, 2, 2)),
        ((2, 3, 4, 5, 2), (1, 3, 1, 2, 2), (0, 0, 2, 1, 0), (0, 3, 0, 0, 0)),
    ],
)
def test_batch_to_space_is_the_reverse_of_space_to_batch(shape, block, begin, end):
    data = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    moved = space_to_batch(data, i64(*block), i64(*begin), i64(*end))
    assert moved.shape[0] == shape[0] * np.prod(block)
    np.testing.assert_array_equal(batch_to_space(moved, i64(*block), i64(*begin), i64(*end)), data)
