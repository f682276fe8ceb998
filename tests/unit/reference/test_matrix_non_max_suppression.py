"""MatrixNonMaxSuppression, by hand."""

from math import exp

import numpy as np
import pytest

from reference import answer, compare, lookup

NAME = "MatrixNonMaxSuppression-8"
nms = lookup(NAME)

# IOU of the first two: 1/2; the third is apart.
BOXES = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5], [2, 2, 3, 3]]], np.float32)
SCORES = np.array([[[0.75, 0.5, 0.25]]], np.float32)
# IOU of neighbours: 3/5; of the first and the last: 2/6.
CHAIN = np.array([[[0, 0, 4, 1], [1, 0, 5, 1], [2, 0, 6, 1]]], np.float32)


def select(boxes=BOXES, scores=SCORES, **attributes):
    """{(class, index): score} of the selected boxes, in their order."""
    named, indices, number = nms(boxes, scores, **{"sort_result": "score", **attributes})
    assert number.sum() == len(named) == len(indices)
    rows = zip(named, indices[:, 0], strict=True)
    return {(int(row[0]), int(index)): pytest.approx(row[1]) for row, index in rows}


def test_outputs():
    named, indices, number = nms(BOXES, SCORES, sort_result="score", score_threshold=0.3)
    assert named.tolist() == [[0, 0.75, 0, 0, 1, 1], [0, 0.25, 0, 0, 1, 0.5]]
    assert indices.tolist() == [[0], [1]]
    assert number.tolist() == [2]
    assert [each.shape for each in nms(BOXES, SCORES, post_threshold=1.0)] == [(0, 6), (0, 1), (1,)]


def test_decay():
    """1 - 1/2, or e to the power of 2 * (0 - 1/4)."""
    assert select() == {(0, 0): 0.75, (0, 1): 0.25, (0, 2): 0.25}
    assert select(decay_function="gaussian") == {
        (0, 0): 0.75,
        (0, 1): 0.5 * exp(-0.5),
        (0, 2): 0.25,
    }
    found = select(decay_function="gaussian", gaussian_sigma=4.0)
    assert found[0, 1] == 0.5 * exp(-1)


def test_a_box_that_decays_itself_makes_others_decay_less():
    """X is 3/5, 2/6 and 3/5, K is 0, 3/5 and 3/5.

    The third box decays by min((1 - 1/3) / 1, (1 - 3/5) / (1 - 3/5)), which is 2/3.
    """
    scores = np.array([[[0.875, 0.75, 0.5]]], np.float32)
    assert select(CHAIN, scores) == {(0, 0): 0.875, (0, 2): 0.5 * 2 / 3, (0, 1): 0.75 * 0.4}
    found = select(CHAIN, scores, decay_function="gaussian", gaussian_sigma=1.0)
    assert found == {(0, 0): 0.875, (0, 1): 0.75 * exp(-9 / 25), (0, 2): 0.5 * exp(-1 / 9)}


def test_thresholds_are_exclusive():
    assert select(score_threshold=0.5).keys() == {(0, 0)}
    assert select(score_threshold=0.49).keys() == {(0, 0), (0, 1)}
    assert select(post_threshold=0.25).keys() == {(0, 0)}
    assert select(post_threshold=0.24).keys() == {(0, 0), (0, 1), (0, 2)}


def test_numbers_of_boxes():
    scores = np.array([[[0.75, 0.5, 0.25], [0.125, 0.375, 0.625]]], np.float32)
    assert list(select(scores=scores, nms_top_k=1)) == [(0, 0), (1, 2)]
    # In class 1 the first box decays to 0.0625.
    assert list(select(scores=scores, background_class=0)) == [(1, 2), (1, 1), (1, 0)]
    assert list(select(scores=scores, keep_top_k=3)) == [(0, 0), (1, 2), (1, 1)]
    assert list(select(scores=scores, keep_top_k=3, sort_result="classid")) == [
        (0, 0),
        (1, 2),
        (1, 1),
    ]


def test_orders():
    boxes = np.concatenate([BOXES, BOXES])
    scores = np.array([[[0.5, 0, 0.25], [0, 0, 0.75]], [[0.875, 0, 0], [0.625, 0, 0]]])
    given = {"boxes": boxes, "scores": scores}
    assert list(select(**given)) == [(1, 2), (0, 0), (0, 2), (0, 3), (1, 3)]
    across = {**given, "sort_result_across_batch": True}
    assert list(select(**across)) == [(0, 3), (1, 2), (1, 3), (0, 0), (0, 2)]
    assert list(select(**given, sort_result="classid")) == [(0, 0), (0, 2), (1, 2), (0, 3), (1, 3)]
    assert nms(boxes, scores)[2].tolist() == [3, 2]


def verdict(scores, attributes, indices, score, boxes=BOXES, kind="f32", dtype=np.float32):
    """Whether one class may have these boxes, with these scores."""
    rows = np.array(indices, int).reshape(-1, 1)
    named = np.column_stack([np.zeros(len(rows)), score, boxes.reshape(-1, 4)[rows[:, 0]]])
    came = [named.astype(dtype), rows, np.array([len(rows)])]
    inputs = [boxes.astype(dtype), np.array([[scores]], dtype)]
    given = {"sort_result": "score", **attributes}
    expected = answer(NAME, inputs, given, [kind, "i64", "i64"])
    chosen = [each.chosen(came) for each in expected]
    return all(
        e.value.shape == c.shape and compare(e, c).wrong == 0
        for e, c in zip(chosen, came, strict=True)
    )


def test_scores_have_the_errors_of_their_arithmetic():
    scores = [0.75, 0.5, 0.125]
    assert verdict(scores, {}, [0, 1, 2], [0.75, 0.25, 0.125])
    assert verdict(scores, {}, [0, 1, 2], [0.75, 0.25 + 2.0**-24, 0.125])
    assert not verdict(scores, {}, [0, 1, 2], [0.75, 0.2501, 0.125])
    # What shares nothing with a better box keeps its score.
    assert not verdict(scores, {}, [0, 1, 2], [0.75, 0.25, 0.125 + 2.0**-25])
    assert not verdict(scores, {}, [1, 0, 2], [0.25, 0.75, 0.125])
    assert verdict(scores, {"sort_result": "none"}, [1, 0, 2], [0.25, 0.75, 0.125])
    assert not verdict(scores, {}, [0, 1], [0.75, 0.25])
    # With f16 at hand 1 - IOU has the error of an ulp of 1/2.
    assert verdict(scores, {}, [0, 1, 2], [0.75, 0.2505, 0.125], kind="f16", dtype=np.float16)


def test_equal_scores():
    """The one that comes first makes the other one decay; by so much that the third is before it, or as good."""
    scores = [0.5, 0.5, 0.375]
    assert verdict(scores, {}, [0, 2, 1], [0.5, 0.375, 0.25])
    assert verdict(scores, {}, [1, 2, 0], [0.5, 0.375, 0.25])
    assert not verdict(scores, {}, [0, 1, 2], [0.5, 0.5, 0.375])
    assert verdict(scores, {"nms_top_k": 1}, [0], [0.5])
    assert verdict(scores, {"nms_top_k": 1}, [1], [0.5])
    assert not verdict(scores, {"nms_top_k": 1}, [2], [0.375])


def test_scores_within_errors_of_each_other_and_of_the_threshold():
    scores = [0.75, 0.5, 0.25]
    for order in ([0, 1, 2], [0, 2, 1]):
        assert verdict(scores, {}, order, [0.75, 0.25, 0.25])
    third = {"post_threshold": 1 / 3}
    chain = [0.875, 0.75, 0.5]
    assert verdict(chain, third, [0], [0.875], CHAIN)
    assert verdict(chain, third, [0, 2], [0.875, 1 / 3], CHAIN)
    assert not verdict(chain, {"post_threshold": 0.33}, [0], [0.875], CHAIN)
    # That of a box that shares nothing is not computed.
    assert not verdict(scores, {"post_threshold": 0.25}, [0, 2], [0.75, 0.25])


def test_sides_of_boxes_that_are_not_normalized():
    """The IOU of pixels 0 to 1 and 0 to 2 is 2 / 3, that of the differences 1 / 2."""
    boxes = np.array([[[0, 0, 1, 1], [0, 0, 1, 2]]], np.float32)
    pixels, differences = [0.75, 0.5 / 3], [0.75, 0.25]
    for scores in (pixels, differences):
        assert verdict([0.75, 0.5], {"normalized": False}, [0, 1], scores, boxes)
    assert verdict([0.75, 0.5], {}, [0, 1], differences, boxes)
    assert not verdict([0.75, 0.5], {}, [0, 1], pixels, boxes)


def test_other_answers_have_a_verdict():
    for indices, score in (([7], [0.5]), ([-1, 0], [0.75, 0.5]), ([0, 0], [0.75, 0.75])):
        named = np.zeros((len(indices), 6), np.float32)
        named[:, 1] = score
        came = [named, np.array(indices).reshape(-1, 1), np.array([len(indices)])]
        (first, *_) = answer(NAME, [BOXES, SCORES], {}, ["f32", "i64", "i64"])
        assert first.chosen(came).value.shape == (3, 6)


def test_negative_scores_have_bounds_too():
    """From a negative score_threshold on: their errors are as large as those of positive ones."""
    attributes = {"sort_result": "score", "score_threshold": -1.0, "post_threshold": -1.0}
    scores = -SCORES
    named, *rest = (each.astype(np.float32) for each in nms(BOXES, scores, **attributes))
    assert (named[:, 1] < 0).all()
    expected = answer(NAME, [BOXES, scores], attributes)[0].chosen([named, *rest])
    assert (expected.bound >= 0).all()
    assert expected.bound[:, 1].any()
