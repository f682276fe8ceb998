"""MulticlassNonMaxSuppression, by hand."""

import numpy as np

from reference import answer, compare, lookup

NAME = "MulticlassNonMaxSuppression-9"
nms = lookup(NAME)

# IOU of the first two: 1/2; the third is apart.
BOXES = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5], [2, 2, 3, 3]]], np.float32)
SCORES = np.array([[[0.75, 0.5, 0.25], [0.125, 0.375, 0.625]]], np.float32)


def select(boxes=BOXES, scores=SCORES, **attributes):
    """(class, index) of the selected boxes, in their order."""
    given = {"sort_result": "score", "iou_threshold": 0.4, "score_threshold": 0.2, **attributes}
    named, indices, number = nms(boxes, scores, **given)
    assert number.sum() == len(named) == len(indices)
    return [(int(row[0]), int(index)) for row, index in zip(named, indices[:, 0], strict=True)]


def test_outputs():
    named, indices, number = nms(
        BOXES, SCORES, sort_result="score", score_threshold=0.2, iou_threshold=0.4
    )
    assert named.tolist() == [
        [0, 0.75, 0, 0, 1, 1],
        [1, 0.625, 2, 2, 3, 3],
        [1, 0.375, 0, 0, 1, 0.5],
        [0, 0.25, 2, 2, 3, 3],
    ]
    assert indices.tolist() == [[0], [2], [1], [2]]
    assert number.tolist() == [4]


def test_thresholds():
    assert select(iou_threshold=0.5) == [(0, 0), (1, 2), (0, 1), (1, 1), (0, 2)]
    assert select(score_threshold=0.5) == [(0, 0), (1, 2)]
    assert select(score_threshold=0.625) == [(0, 0), (1, 2)]
    assert select(score_threshold=0.8) == []


def test_numbers_of_boxes():
    assert select(nms_top_k=1) == [(0, 0), (1, 2)]
    # The second box of class 0 is a candidate, and suppressed.
    assert select(nms_top_k=2) == [(0, 0), (1, 2), (1, 1)]
    assert select(keep_top_k=3) == [(0, 0), (1, 2), (1, 1)]
    assert select(background_class=0) == [(1, 2), (1, 1)]


def test_orders():
    boxes = np.concatenate([BOXES, BOXES])
    scores = np.array([[[0.5, 0, 0.25], [0, 0, 0.75]], [[0.875, 0, 0], [0.625, 0, 0]]])
    given = {"boxes": boxes, "scores": scores}
    assert select(**given) == [(1, 2), (0, 0), (0, 2), (0, 3), (1, 3)]
    across = {**given, "sort_result_across_batch": True}
    assert select(**across) == [(0, 3), (1, 2), (1, 3), (0, 0), (0, 2)]
    assert select(**given, sort_result="classid") == [(0, 0), (0, 2), (1, 2), (0, 3), (1, 3)]
    assert [kind for kind, _ in select(**across, sort_result="classid")] == [0, 0, 0, 1, 1]
    assert nms(boxes, scores, score_threshold=0.2)[2].tolist() == [3, 2]


def test_the_threshold_falls_before_boxes_are_compared():
    assert select(iou_threshold=0.5625, background_class=1) == [(0, 0), (0, 1), (0, 2)]
    assert select(iou_threshold=0.5625, background_class=1, nms_eta=0.875) == [(0, 0), (0, 2)]
    assert select(iou_threshold=0.5, background_class=1, nms_eta=0.5) == [(0, 0), (0, 1), (0, 2)]


def test_a_box_is_compared_by_the_threshold_of_then():
    """0.75 * 0.8 is 0.6 for the first box, which shares 0.5625 with the last; 0.48 is for the second, apart from it."""
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [0, 0, 1, 0.5625]]])
    assert len(select(boxes, iou_threshold=0.75, nms_eta=0.8, background_class=1)) == 3


def test_each_class_has_its_own_boxes():
    """Two images of one box and of two; class 1 has other boxes; the last two do not overlap."""
    boxes = np.array([BOXES[0], [[0, 0, 1, 1], [5, 5, 6, 6], [7, 7, 8, 8]]])
    scores = np.array([[0.75, 0.5, 0.25], [0.375, 0.875, 0.625]])
    named, indices, number = nms(
        boxes, scores, np.array([1, 2]), sort_result="score", score_threshold=0.3, iou_threshold=0.4
    )
    assert indices[:, 0].tolist() == [0, 3, 4, 5, 1]
    assert named[:, 0].tolist() == [0, 1, 1, 1, 0]
    assert named[2, 2:].tolist() == [5, 5, 6, 6]
    assert number.tolist() == [2, 3]


def verdict(boxes, scores, attributes, indices, kinds, score):
    indices, kinds = np.array(indices).reshape(-1, 1), np.array(kinds)
    named = np.column_stack([kinds, score, boxes.reshape(-1, 4)[indices[:, 0]]]).astype(np.float32)
    came = [named, indices, np.array([len(indices)])]
    expected = answer(NAME, [boxes, scores], attributes, ["f32", "i64", "i64"])
    chosen = [each.chosen(came) for each in expected]
    return all(
        e.value.shape == c.shape and compare(e, c).wrong == 0
        for e, c in zip(chosen, came, strict=True)
    )


def test_a_suppressed_box_may_be_selected_with_the_score_0():
    given = BOXES, SCORES[:, :1], {"sort_result": "score", "iou_threshold": 0.4}
    assert verdict(*given, [0, 2], [0, 0], [0.75, 0.25])
    assert verdict(*given, [0, 2, 1], [0, 0, 0], [0.75, 0.25, 0])
    assert not verdict(*given, [0, 2, 1], [0, 0, 0], [0.75, 0.25, 0.5])
    assert not verdict(*given, [2, 0], [0, 0], [0.25, 0.75])
    assert verdict(*given[:2], {**given[2], "sort_result": "none"}, [2, 0], [0, 0], [0.25, 0.75])


def test_sides_of_boxes_that_are_not_normalized():
    """The IOU of pixels 0 to 1 and 0 to 2 is 2 / 3, that of the differences 1 / 2."""
    boxes = np.array([[[0, 0, 1, 1], [0, 0, 1, 2]]], np.float32)
    scores = np.array([[[0.75, 0.5]]], np.float32)
    given = {"sort_result": "score", "iou_threshold": 0.6, "score_threshold": 0.125}
    one, both = ([0], [0], [0.75]), ([0, 1], [0, 0], [0.75, 0.5])
    assert verdict(boxes, scores, {**given, "normalized": False}, *one)
    assert verdict(boxes, scores, {**given, "normalized": False}, *both)
    assert verdict(boxes, scores, given, *both)
    assert not verdict(boxes, scores, given, *one)


def test_equal_scores():
    scores = np.array([[[0.5, 0.5, 0.5]]], np.float32)
    given = {"sort_result": "score", "iou_threshold": 0.4, "keep_top_k": 1}
    for box in range(3):
        assert verdict(BOXES, scores, given, [box], [0], [0.5])
