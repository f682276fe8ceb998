"""NonMaxSuppression, by hand."""

import numpy as np
import pytest

from reference import answer, compare, lookup

NAME = "NonMaxSuppression-9"
nms = lookup(NAME)

# IOU of the first two: 1/2; the third is apart.
BOXES = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5], [2, 2, 3, 3]]], np.float32)
SCORES = np.array([[[0.75, 0.5, 0.25]]], np.float32)


def scalar(value):
    return np.array(value, np.float32)


def select(boxes=BOXES, scores=SCORES, most=10, iou=0.4, score=0.125, sigma=0.0, **attributes):
    given = [boxes, scores, np.array(most), scalar(iou), scalar(score), scalar(sigma)]
    return nms(*given, **attributes)


def test_the_better_of_two_that_overlap_stays():
    indices, scores, count = select()
    assert indices.tolist() == [[0, 0, 0], [0, 0, 2]]
    assert scores.tolist() == [[0, 0, 0.75], [0, 0, 0.25]]
    assert count.tolist() == [2]


@pytest.mark.parametrize("iou, selected", [(0.49, 2), (0.5, 3), (0.51, 3)])
def test_an_iou_at_the_threshold_stays(iou, selected):
    assert select(iou=iou)[2].tolist() == [selected]


@pytest.mark.parametrize("score, selected", [(0.25, 3), (0.26, 2), (0.5, 2), (0.76, 0)])
def test_a_score_at_the_threshold_stays(score, selected):
    assert select(iou=1, score=score)[2].tolist() == [selected]


@pytest.mark.parametrize("most, selected", [(0, 0), (1, 1), (2, 2), (3, 3)])
def test_each_class_selects_no_more_than_it_may(most, selected):
    indices, scores, count = select(iou=1, most=most)
    assert (len(indices), len(scores), count.tolist()) == (selected, selected, [selected])


def test_defaults_select_nothing():
    indices, scores, count = nms(BOXES, SCORES)
    assert (indices.shape, scores.shape, count.tolist()) == ((0, 3), (0, 3), [0])


def test_any_diagonal_is_a_box():
    turned = BOXES[..., [2, 1, 0, 3]]
    for first, second in zip(select(turned), select(), strict=True):
        assert np.array_equal(first, second)


def test_centers():
    centers = np.array([[[0.5, 0.5, 1, 1], [0.25, 0.5, 0.5, 1], [2.5, 2.5, 1, 1]]], np.float32)
    for first, second in zip(select(centers, box_encoding="center"), select(), strict=True):
        assert np.array_equal(first, second)
    # As corners these would be other boxes: the first, [0.5, 0.5] to [1, 1], meets the second in nothing.
    assert select(centers)[2].tolist() != [2]


def test_soft_nms_lowers_scores_and_the_order_follows():
    indices, scores, _ = select(sigma=0.25)
    lowered = 0.5 * np.exp(-0.5 * 0.25 / 0.25)
    assert indices[:, 2].tolist() == [0, 1, 2]
    np.testing.assert_allclose(scores[:, 2], [0.75, lowered, 0.25])
    indices, scores, _ = select(sigma=0.125)
    assert indices[:, 2].tolist() == [0, 2, 1]
    np.testing.assert_allclose(scores[:, 2], [0.75, 0.25, 0.5 * np.exp(-1)])


def test_a_score_errs_for_each_box_that_lowered_it_and_no_other():
    """The first is never lowered, the second by the first, the third by nothing that it overlaps."""
    inputs = [BOXES, SCORES, np.array(10), scalar(0.4), scalar(0.125), scalar(0.25)]
    half = [each.astype(np.float16) for each in inputs[:2]]
    _, expected, _ = answer(NAME, half + inputs[2:], {}, ["i64", "f16", "i64"])
    allowed = expected.allowed_errors()
    assert allowed.shape == (3, 3)
    assert np.all(allowed[:, :2] == 0)
    lowered = expected.value[1, 2]
    # A product, an exp of three ulps, and 1/sigma for its argument.
    assert allowed[1, 2] == pytest.approx((3.5 + 4) * 2.0**-10 * lowered, rel=0.1)
    assert allowed[0, 2] == allowed[2, 2] == 0


def test_sorted_over_all_or_by_class():
    boxes = np.concatenate([BOXES, BOXES])
    scores = np.array([[[0.2, 0.3, 0.9]], [[0.8, 0.1, 0.4]]], np.float32)
    by_class = select(boxes, scores, sort_result_descending=False)[0].tolist()
    assert by_class == [[0, 0, 2], [0, 0, 1], [1, 0, 0], [1, 0, 2]]
    over_all = select(boxes, scores)[0].tolist()
    assert over_all == [[0, 0, 2], [1, 0, 0], [1, 0, 2], [0, 0, 1]]


def test_classes_do_not_suppress_each_other():
    scores = np.array([[[0.75, 0.5, 0.25], [0.2, 0.6, 0.3]]], np.float32)
    found = {tuple(row) for row in select(scores=scores)[0].tolist()}
    assert found == {(0, 0, 0), (0, 0, 2), (0, 1, 1), (0, 1, 2)}


def test_output_type():
    assert [o.dtype for o in select(output_type="i32")] == [np.int32, np.float64, np.int32]


def verdicts(came, **changes):
    given = {"scores": SCORES, "most": 10, "iou": 0.4, "score": 0.125, **changes}
    inputs = [BOXES, given["scores"], np.array(given["most"]), scalar(given["iou"])]
    inputs += [scalar(given["score"]), scalar(0)]
    expected = [each.chosen(came) for each in answer(NAME, inputs, {}, ["i64", "f32", "i64"])]
    return [
        e.value.shape == c.shape and compare(e, c).wrong == 0
        for e, c in zip(expected, came, strict=True)
    ]


def outputs(*rows):
    indices = np.array([[b, c, i] for b, c, i, _ in rows], np.int64).reshape(-1, 3)
    scores = np.array([[b, c, s] for b, c, _, s in rows], np.float32).reshape(-1, 3)
    return [indices, scores, np.array([sum(row[0] >= 0 for row in rows)])]


def test_rows_that_a_static_device_adds_are_right():
    right = outputs((0, 0, 0, 0.75), (0, 0, 2, 0.25))
    assert verdicts(right) == [True] * 3
    assert verdicts(outputs((0, 0, 0, 0.75), (0, 0, 2, 0.25), (-1, -1, -1, -1))) == [True] * 3
    added = outputs((0, 0, 0, 0.75), (0, 0, 2, 0.25), (-1, -1, -1, 0))
    assert verdicts(added) == [True, False, True]


def test_equal_scores_may_come_in_any_order():
    alike = np.array([[[0.5, 0.25, 0.5]]], np.float32)
    assert verdicts(outputs((0, 0, 0, 0.5), (0, 0, 2, 0.5)), scores=alike) == [True] * 3
    assert verdicts(outputs((0, 0, 2, 0.5), (0, 0, 0, 0.5)), scores=alike) == [True] * 3
    assert not all(verdicts(outputs((0, 0, 0, 0.5), (0, 0, 1, 0.25)), scores=alike))


def test_scores_that_differ_may_not():
    assert not all(verdicts(outputs((0, 0, 2, 0.25), (0, 0, 0, 0.75))))


def test_a_suppressed_box_has_the_score_0():
    """It is not below a threshold of 0, so that it may be selected; none of the page's words forbids to drop it."""
    kept = outputs((0, 0, 0, 0.75), (0, 0, 2, 0.25), (0, 0, 1, 0.0))
    dropped = outputs((0, 0, 0, 0.75), (0, 0, 2, 0.25))
    assert verdicts(kept, score=0.0) == [True] * 3
    assert verdicts(dropped, score=0.0) == [True] * 3
    assert not all(verdicts(kept))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"most": [1, 2]}, r"max_output_boxes_per_class must be one number, .* got shape \[2\]"),
        ({"iou": [0.5, 0.5]}, "iou_threshold must be one number"),
        ({"box_encoding": "edges"}, "box_encoding must be corner or center, got 'edges'"),
        ({"output_type": "u8"}, "output_type must be i64 or i32"),
    ],
)
def test_rules(changes, message):
    with pytest.raises(ValueError, match=message):
        select(**changes)


def test_all_boxes_are_kept_without_a_threshold():
    indices, scores, count = nms(BOXES, SCORES, np.array(3))
    assert (indices[:, 2].tolist(), count.tolist()) == ([0, 1, 2], [3])
    np.testing.assert_array_equal(scores[:, 2], [0.75, 0.5, 0.25])


def test_soft_nms_of_version_5_drops_boxes_beyond_the_threshold():
    given = [BOXES, SCORES, np.array(3), scalar(0.4), scalar(0.125), scalar(0.25)]
    assert lookup("NonMaxSuppression-5")(*given)[0][:, 2].tolist() == [0, 2]
    assert nms(*given)[0][:, 2].tolist() == [0, 1, 2]
    given[3] = scalar(0.5)
    assert lookup("NonMaxSuppression-5")(*given)[0][:, 2].tolist() == [0, 1, 2]


@pytest.mark.parametrize("version, rows", [(1, 3), (3, 3), (4, 6)])
def test_rows_of_a_fixed_number(version, rows):
    """Two classes, at most 3 boxes of each: min(3, 3 * 2) rows, of version 4 min(3, 3) * 1 * 2."""
    scores = np.array([[[0.75, 0.5, 0.25], [0.0, 0.0, 0.0]]], np.float32)
    given = [BOXES, scores, np.array(3), scalar(0.4), scalar(0.125)]
    indices = lookup(f"NonMaxSuppression-{version}")(*given)
    missing = [[-1, -1, -1]] * (rows - 2)
    assert indices.tolist() == [[0, 0, 0], [0, 0, 2], *missing]


def test_more_boxes_than_rows():
    """One box of each class: min(3, 1 * 2) rows for one batch element, and two of them here."""
    boxes, scores = np.concatenate([BOXES, BOXES]), np.full((2, 2, 3), 0.5, np.float32)
    scores[1, 1, 2] = 0.75
    given = [boxes, scores, np.array(1), scalar(0.4), scalar(0.125)]
    version_3 = lookup("NonMaxSuppression-3")
    assert version_3(*given).tolist() == [[1, 1, 2], [0, 0, 0]]
    assert version_3(*given, sort_result_descending=False).tolist() == [[0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("version", [1, 3, 4, 5, 9])
def test_defaults_of_all_versions(version):
    scores = np.array([[[0.25, 0.5, 0.125], [0.75, 0.375, 0.625]]], np.float32)
    given = [BOXES, scores, np.array(1), scalar(0.4), scalar(0.125)]
    outputs = lookup(f"NonMaxSuppression-{version}")(*given)
    indices = outputs if version < 5 else outputs[0]
    assert (indices.tolist(), indices.dtype) == ([[0, 1, 0], [0, 0, 1]], np.int64)


def test_a_suppressed_box_is_removed_where_the_page_says_so():
    inputs = [BOXES, SCORES, np.array(3), scalar(0.4), scalar(0)]
    for rows, right in (
        ([[0, 0, 0], [0, 0, 2], [0, 0, 1]], False),
        ([[0, 0, 0], [0, 0, 2], [-1, -1, -1]], True),
    ):
        came = np.array(rows, np.int64)
        expected = answer("NonMaxSuppression-4", inputs, {}, ["i64"])[0].chosen([came])
        assert (compare(expected, came).wrong == 0) == right
