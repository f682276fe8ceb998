"""ReorgYolo: blocks of four elements by hand, in each order that the page leaves open."""

import numpy as np
import pytest

from reference import answer, compare
from reference.detection.reorg_yolo import reorg_yolo

# 100·channel + 10·row + column, four channels of 2 x 4.
DATA = sum(np.ogrid[0:400:100, 0:20:10, 0:4])[None]


def test_blocks_before_channels():
    found = reorg_yolo(DATA, stride=2)
    assert found.shape == (1, 16, 1, 2)
    assert found[0, :5, 0].tolist() == [[0, 2], [100, 102], [200, 202], [300, 302], [1, 3]]
    assert found[0, 8].tolist() == [[10, 12]]


def test_blocks_behind_channels():
    found = reorg_yolo(DATA, stride=2, order="channels")
    assert found[0, :5, 0].tolist() == [[0, 2], [1, 3], [10, 12], [11, 13], [100, 102]]


def test_the_same_memory_as_fewer_channels():
    # One channel of 4 x 8: its first rows are 0 to 3, 10 to 13 and 100 to 103, 110 to 113.
    found = reorg_yolo(DATA, stride=2, order="memory")
    assert found.reshape(4, 2, 4)[:2].tolist() == [
        [[0, 2, 10, 12], [200, 202, 210, 212]],
        [[1, 3, 11, 13], [201, 203, 211, 213]],
    ]


@pytest.mark.parametrize("order", ["blocks", "channels", "memory"])
def test_every_order_is_admitted(order):
    (expected,) = answer("ReorgYolo-1", [DATA], {"stride": 2})
    actual = reorg_yolo(DATA, stride=2, order=order)
    assert compare(expected.chosen([actual]), actual).wrong == 0


def test_elements_of_other_orders_are_not():
    (expected,) = answer("ReorgYolo-1", [DATA], {"stride": 2})
    actual = reorg_yolo(DATA, stride=2)[..., ::-1]
    assert compare(expected.chosen([actual]), actual).wrong > 0
