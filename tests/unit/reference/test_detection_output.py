"""DetectionOutput and ExperimentalDetectronDetectionOutput, by hand."""

import numpy as np
import pytest

from reference import answer, compare, lookup

NAME = "DetectionOutput-8"
CENTER, CORNER = (f"caffe.PriorBoxParameter.{each}" for each in ("CENTER_SIZE", "CORNER"))
detection_output = lookup(NAME)

# IOU of the first two: 1/2; the third is apart.
BOXES = np.array([[[0, 0, 0.5, 0.5, 0, 0, 0.5, 0.25, 0.75, 0.75, 1, 1]]])
SCORES = np.array([[0.0, 0.75, 0.0, 0.5, 0.0, 0.25]])
USUAL = {
    "variance_encoded_in_target": True,
    "normalized": True,
    "keep_top_k": [4],
    "nms_threshold": 0.4,
    "confidence_threshold": 0.2,
}


def rows(boxes=BOXES, scores=SCORES, logits=None, **attributes):
    """The rows before the end, the coordinates behind (batch, class, score)."""
    zeros = np.zeros((len(scores), boxes.size)) if logits is None else logits
    found = detection_output(zeros, scores, boxes, **{**USUAL, **attributes})[0, 0]
    ends = np.argwhere(found[:, 0] == -1)
    return found[: ends[0, 0] if len(ends) else None].tolist()


def chosen(**attributes):
    return [row[2] for row in rows(**attributes)]


def test_rows():
    assert rows() == [[0, 1, 0.75, 0, 0, 0.5, 0.5], [0, 1, 0.25, 0.75, 0.75, 1, 1]]
    output = detection_output(np.zeros((1, 12)), SCORES, BOXES, **USUAL)
    assert output.shape == (1, 1, 4, 7)
    assert output[0, 0, 2, 0] == -1
    assert np.isnan(output[0, 0, 2, 1:]).all()
    assert np.isnan(output[0, 0, 3]).all()


def test_shapes():
    for given, count in (
        ({"keep_top_k": [2]}, 2),
        ({"keep_top_k": [-1], "top_k": 2}, 4),
        ({"keep_top_k": [-1]}, 6),
    ):
        output = detection_output(np.zeros((1, 12)), SCORES, BOXES, **{**USUAL, **given})
        assert output.shape == (1, 1, count, 7)


def test_thresholds_and_numbers():
    assert chosen(nms_threshold=0.5) == [0.75, 0.5, 0.25]
    assert chosen(nms_threshold=0.5, at_threshold=True) == [0.75, 0.25]
    assert chosen(confidence_threshold=0.25) == [0.75]
    assert chosen(top_k=1) == [0.75]
    assert chosen(top_k=2) == [0.75, 0.25]
    assert chosen(top_k=2, limits_candidates=True) == [0.75]
    assert chosen(keep_top_k=[1]) == [0.75]
    assert chosen(background_label_id=1) == []
    # The scores of class 0, which are 0.
    everything = {"background_label_id": -1, "keep_top_k": [-1], "nms_threshold": 1.0}
    assert len(rows(confidence_threshold=None, **everything)) == 6
    assert len(rows(confidence_threshold=0.0, **everything)) == 3


def test_decoding():
    box, scores = np.array([[[0.25, 0.5, 0.75, 1.0]]]), np.array([[0.0, 0.5]])
    logits = np.array([[0.5, -0.25, np.log(2), 0.0]])
    ((*_, x1, y1, x2, y2),) = rows(box, scores, np.array([[0.125, 0.25, -0.5, 0.0]]))
    assert (x1, y1, x2, y2) == (0.375, 0.75, 0.25, 1.0)
    # The center (0.5, 0.75) moves by (0.25, -0.125); the width doubles.
    ((*_, x1, y1, x2, y2),) = rows(box, scores, logits, code_type=CENTER)
    assert np.allclose((x1, y1, x2, y2), (0.25, 0.375, 1.25, 0.875))
    ((*_, x1, y1, x2, y2),) = rows(box, scores, logits, code_type=CENTER, clip_after_nms=True)
    assert np.allclose((x1, y1, x2, y2), (0.25, 0.375, 1.0, 0.875))
    both = np.concatenate([box, [[[0.5, 1.0, 0.25, 2.0]]]], axis=1)
    given = {"variance_encoded_in_target": False}
    ((*_, x1, y1, x2, y2),) = rows(both, scores, np.array([[0.5, 0.25, -1, 0.0]]), **given)
    assert (x1, y1, x2, y2) == (0.5, 0.75, 0.5, 1.0)


def test_pixels():
    boxes = np.array([[[9, 8, 4, 16, 6], [9, 0.5, 0.25, 0.125, 1]]])
    given = {
        "variance_encoded_in_target": False,
        "normalized": False,
        "input_width": 16,
        "input_height": 8,
    }
    boxes, logits = boxes.reshape(1, 2, 5), np.array([[1.0, 1.0, 1.0, 0.0]])
    (row,) = rows(boxes, np.array([[0.0, 0.5]]), logits, **given)
    assert row[3:] == [1.0, 0.75, 1.125, 0.75]
    # The variances are then the first four numbers: 9, 0.5, 0.25, 0.125.
    (row,) = rows(boxes, np.array([[0.0, 0.5]]), logits, **given, four_variances=True)
    assert row[3:] == [9.5, 1.0, 1.25, 0.75]


def test_clipped_boxes_are_compared():
    # 1 x 0.5 and 0.5 x 0.5 inside the image of an IOU of 1/2; outside the first is twice as wide.
    boxes = np.array([[[-1, 0, 1, 0.5, 0.5, 0, 1, 0.5]]])
    scores = np.array([[0.0, 0.75, 0.0, 0.5]])
    assert len(rows(boxes, scores)) == 2
    (row,) = rows(boxes, scores, clip_before_nms=True)
    assert row[3:] == [0, 0, 1, 0.5]


def test_best_class():
    # Of each box: 0.75 for class 2, 0.625 for class 1. They overlap, and are of different classes.
    scores = np.array([[0.875, 0.5, 0.75, 0.0, 0.625, 0.25]])
    found = rows(BOXES[..., :8], scores, decrease_label_id=True)
    assert sorted(row[1:3] for row in found) == [[0, 0.625], [1, 0.75]]


def test_refined_boxes():
    objects = np.array([[0.75, 0.25, 0.5, 0.5, 0.25, 0.75]])
    moved = np.zeros((1, 12))
    moved[0, 8] = -0.5
    given = {**USUAL, "objectness_score": 0.5}
    found = detection_output(np.zeros((1, 12)), SCORES, BOXES, objects, moved, **given)[0, 0]
    assert found[:2].tolist() == [
        [0, 1, 0.5, 0, 0, 0.5, 0.25],
        [0, 1, 0.25, 0.25, 0.75, 1, 1],
    ]


def wrong(actual):
    inputs = [np.zeros((1, 12), np.float32), SCORES.astype(np.float32), BOXES.astype(np.float32)]
    (expected,) = answer(NAME, inputs, USUAL, ["f32"])
    return compare(expected.choose([actual]), actual).wrong


def test_any_order_is_right():
    actual = np.full((1, 1, 4, 7), 5, np.float32)
    actual[0, 0, :2] = rows()[::-1]
    actual[0, 0, 2, 0] = -1
    assert wrong(actual) == 0
    for row, column, number in ((0, 6, 0.75), (0, 2, 0.5), (1, 1, 0), (2, 0, 0)):
        changed = actual.copy()
        changed[0, 0, row, column] = number
        assert wrong(changed) > 0, (row, column)


def test_equal_scores():
    boxes, scores = BOXES[..., :8], np.array([[0.0, 0.5, 0.0, 0.5]])
    for box in ([0, 0, 0.5, 0.5], [0, 0, 0.5, 0.25]):
        actual = np.full((1, 1, 4, 7), -1, np.float32)
        actual[0, 0, 0] = [0, 1, 0.5, *box]
        (expected,) = answer(NAME, [np.zeros((1, 8)), scores, boxes], USUAL, ["f32"])
        assert compare(expected.choose([actual]), actual).wrong == 0
        actual[0, 0, 1] = [0, 1, 0.5, *box]
        assert compare(expected.choose([actual]), actual).wrong > 0


def test_errors():
    for given in ({"normalized": False}, {"share_location": False}, {"objectness_score": -1.0}):
        with pytest.raises(ValueError, match="DetectionOutput"):
            rows(**given)


DETECTRON = lookup("ExperimentalDetectronDetectionOutput-6")
ROIS = np.array([[0, 0, 15, 15], [0, 0, 15, 7], [32, 32, 47, 47.0]])
OF_CLASS_1 = np.array([[0.875, 0.75], [0, 0.5], [0, 0.25]])
IMAGE = np.array([[64, 96, 1.0]])
GIVEN = {
    "score_threshold": 0.2,
    "nms_threshold": 0.4,
    "num_classes": 2,
    "post_nms_count": 3,
    "max_detections_per_image": 4,
    "max_delta_log_wh": 4.0,
    "deltas_weights": [2.0, 4.0, 1.0, 8.0],
    "class_agnostic_box_regression": True,
}


def detected(rois=ROIS, deltas=None, scores=OF_CLASS_1, **attributes):
    """(class, score, box) of the detections that are not undefined."""
    deltas = np.zeros((len(rois), 8)) if deltas is None else deltas
    outputs = DETECTRON(rois, deltas, scores, IMAGE, **{**GIVEN, **attributes})
    boxes, classes, found = outputs
    assert boxes.shape == (len(found), 4)
    kept = ~np.isnan(found)
    return [
        [int(kind), score, *box]
        for kind, score, box in zip(classes[kept], found[kept], boxes[kept].tolist(), strict=True)
    ]


def test_detections():
    assert detected() == [[1, 0.75, 0, 0, 15, 15], [1, 0.25, 32, 32, 47, 47]]
    assert detected(class_agnostic_box_regression=False)[0] == [0, 0.875, 0, 0, 15, 15]
    assert len(detected(nms_threshold=0.5)) == 3
    assert len(detected(nms_threshold=0.5, at_threshold=True)) == 2
    # 7 * 15 of 15 * 15 without the last pixel.
    assert len(detected(nms_threshold=0.48)) == 2
    assert len(detected(nms_threshold=0.48, sides_without_end=True)) == 3
    assert len(detected(score_threshold=0.25)) == 1
    assert len(detected(post_nms_count=1)) == 1
    assert len(detected(post_nms_count=0)) == 0
    assert detected(max_detections_per_image=1) == [[1, 0.75, 0, 0, 15, 15]]


def test_deltas():
    # Width 16, height 8, center (40, 28): moved by (1/2 * 16, -1/4 * 8); twice as wide.
    deltas = np.array([[0, 0, 0, 0, 1.0, -1.0, np.log(2), 0]])
    ((_, _, *box),) = detected(np.array([[32, 24, 47, 31.0]]), deltas, np.array([[0, 0.5]]))
    assert np.allclose(box, [32, 22, 63, 29])
    given = {"max_delta_log_wh": 0.0}
    ((_, _, *box),) = detected(
        np.array([[32, 24, 47, 31.0]]), deltas, np.array([[0, 0.5]]), **given
    )
    assert np.allclose(box, [40, 22, 55, 29])


def test_clipped():
    rois, scores = np.array([[-16, -8, 111, 79.0]]), np.array([[0, 0.5]])
    assert detected(rois, None, scores) == [[1, 0.5, 0, 0, 95, 63]]
    assert detected(rois, None, scores, clips_to_size=True) == [[1, 0.5, 0, 0, 96, 64]]


def test_undefined_elements():
    inputs = [each.astype(np.float32) for each in (ROIS, np.zeros((3, 8)), OF_CLASS_1, IMAGE)]
    expected = answer(
        "ExperimentalDetectronDetectionOutput-6", inputs, GIVEN, ["f32", "i32", "f32"]
    )
    boxes, classes = np.full((4, 4), 7, np.float32), np.array([1, 1, 5, 5], np.int32)
    scores = np.array([0.25, 0.75, 9, 9], np.float32)
    boxes[0], boxes[1] = ROIS[2], ROIS[0]
    actual = [boxes, classes, scores]
    counts = [compare(e.choose(actual), a).wrong for e, a in zip(expected, actual, strict=True)]
    assert counts == [0, 0, 0]
    boxes[1, 3] = 14
    assert compare(expected[0].choose(actual), boxes).wrong == 1


def test_errors_of_detections():
    for given in ({"deltas_weights": [1.0]}, {"num_classes": 3}, {"score_threshold": -1.0}):
        with pytest.raises(ValueError, match="Experimental"):
            detected(**given)


def test_a_box_that_is_upside_down_has_the_bound_of_its_mirror():
    """Its size is negative, its errors are as large: steps in f32 err by more than 1.5e-8."""
    prior = np.array([0.1, 0.7, 0.5, 0.3], np.float32)
    logits = np.array([[0.1, 0.2, 0.3, -0.4]], np.float32)
    attributes = {**USUAL, "code_type": CENTER, "keep_top_k": [1], "background_label_id": 1}
    scores = np.array([[0.75]], np.float32)

    def gate_of(box):
        boxes = box.reshape(1, 1, 4)
        return answer(NAME, [logits, scores, boxes], attributes)[0].chosen(
            [detection_output(logits, scores, boxes, **attributes)]
        )

    found, mirrored = gate_of(prior), gate_of(prior[[0, 3, 2, 1]])
    # y_1 and y_2 move with their half, of which the mirror has the other sign.
    assert found.bound[0, 0, 0, 3:] == pytest.approx(mirrored.bound[0, 0, 0, 3:], rel=0.35)
    center, size = np.float32(0.5), np.float32(-0.4)
    half = np.float32(np.exp(np.float64(-0.4))) * size / np.float32(2)
    middle = center + np.float32(0.2) * size
    honest = np.array([middle - half, middle + half], np.float64)
    error = np.abs(found.value[0, 0, 0, [4, 6]] - honest)
    assert (error <= found.bound[0, 0, 0, [4, 6]]).all()
