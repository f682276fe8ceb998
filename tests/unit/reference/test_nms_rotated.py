"""NMSRotated, by hand."""

import numpy as np
import pytest

from reference import lookup
from reference.shared.boxes import rotated_iou

nms = lookup("NMSRotated-13")
EIGHTH = np.pi / 4


@pytest.mark.parametrize(
    "one, other, iou",
    [
        ([3, 3, 4, 2, 0], [3, 3, 4, 2, 2 * EIGHTH], 4 / 12),  # a cross
        ([3, 3, 4, 2, 0], [3, 3, 4, 2, -4 * EIGHTH], 1),  # the same box
        ([3, 3, 4, 2, 1], [3, 3, -4, -2, 1], 1),
        (
            [0, 0, 2, 2, 0],
            [0, 0, 2, 2, EIGHTH],
            2**-0.5,
        ),  # an octagon of 8 (sqrt 2 - 1) in two squares of 4
        ([2, 2, 4, 4, 0], [6, 2, 4, 4, 2 * EIGHTH], 0),  # an edge in common
        ([6, 4, 2, 4, 4 * EIGHTH], [6, 2, 4, 4, 2 * EIGHTH], 4 / 20),  # parts of edges in common
        ([2, 2, 4, 4, 0], [2, 2, 2, 1, EIGHTH], 2 / 16),  # one inside the other
        # The edge at 3/2 sqrt 2 from (2, 2) cuts the corner (1, 1) off at a depth of sqrt 2 / 2: the area is 1/2.
        ([0, 0, 2, 2, 0], [2, 2, 3 * 2**0.5, 4, EIGHTH], 0.5 / (4 + 12 * 2**0.5 - 0.5)),
        ([0, 0, 8, 2, EIGHTH], [2, 2, 2, 2, 0], None),
    ],
)
def test_overlap(one, other, iou):
    found = rotated_iou(np.array(one, float), np.array(other, float))
    if iou is None:
        assert found > 0.1
        assert rotated_iou(np.array(one, float), np.array([2, -2, 2, 2, 0.0])) == 0
    else:
        assert found == pytest.approx(iou, abs=1e-12)


BOXES = np.array([[[0, 0, 8, 2, EIGHTH], [2, 2, 2, 2, 0], [2, -2, 2, 2, 0]]])
SCORES = np.array([[[0.75, 0.5, 0.25]]], np.float32)


def select(most=10, iou=0.0625, score=0.125, boxes=BOXES, scores=SCORES, **attributes):
    return nms(boxes, scores, np.array(most), np.array(iou), np.array(score), **attributes)


def test_a_positive_angle_turns_clockwise_where_y_points_downwards():
    """The long box lies along the diagonal (1, 1), on the square there, or along (1, -1), on the other one."""
    indices, scores, count = select()
    assert indices.tolist() == [[0, 0, 0], [0, 0, 2]]
    assert scores.tolist() == [[0, 0, 0.75], [0, 0, 0.25]]
    assert count.tolist() == [2]
    assert select(clockwise=False)[0].tolist() == [[0, 0, 0], [0, 0, 1]]


def test_limits_and_thresholds():
    assert select(most=1)[0].tolist() == [[0, 0, 0]]
    assert select(score=0.5, iou=2)[0].tolist() == [[0, 0, 0], [0, 0, 1]]
    assert [o.shape for o in select(score=0.8)] == [(0, 3), (0, 3), (1,)]


def test_sorted_over_all_or_by_class():
    scores = np.array([[[0.25, 0.0, 0.5], [0.75, 0.0, 0.0]]])
    assert select(scores=scores)[0].tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    by_class = select(scores=scores, sort_result_descending=False)[0].tolist()
    assert by_class == [[0, 0, 2], [0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("batches, boxes", [(0, 3), (2, 0)])
def test_nothing(batches, boxes):
    empty = select(boxes=np.zeros((batches, boxes, 5)), scores=np.zeros((batches, 2, boxes)))
    assert [o.tolist() for o in empty] == [[], [], [0]]
