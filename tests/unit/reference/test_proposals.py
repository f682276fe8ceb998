"""GenerateProposals, ExperimentalDetectronGenerateProposalsSingleImage and Proposal, by hand."""

import numpy as np
import pytest

from reference import answer, lookup
from reference.accuracy.call import Call
from reference.shared.proposals import decoded, suppressed

generate = lookup("GenerateProposals-9")
detectron = lookup("ExperimentalDetectronGenerateProposalsSingleImage-6")
proposal = lookup("Proposal-4")

# The second box shares half of the first one, the third is smaller than 10, the last apart from all.
BOXES = [[0, 0, 20, 20], [0, 0, 20, 10], [40, 0, 44, 40], [30, 30, 60, 60]]
SCORES = [0.5, 0.75, 0.875, 0.25]
COMMON = {"min_size": 10.0, "nms_threshold": 0.4, "pre_nms_count": 10, "post_nms_count": 3}


def of_image(scores=SCORES, image=(50, 64, 1), **changes):
    inputs = (
        np.array([image], np.float32),
        np.array(BOXES, np.float32)[None, :, None, :],
        np.zeros((1, 4, 1, 4), np.float32),
        np.array(scores, np.float32)[None, None, None, :],
    )
    return inputs, {**COMMON, **changes}


def test_deltas_move_centers_and_multiply_sides():
    """The center (8, 16) moves by half of 8 and a quarter of 16; the sides become 16 and 8."""
    moves = np.array([[0.5, 0.25, np.log(2), -np.log(2)]])
    found = decoded(np.array([[4.0, 8.0, 12.0, 24.0]]), moves, 0.0)
    np.testing.assert_allclose(found.boxes, [[4, 16, 20, 24]])
    # The same pixels, the last ones among them.
    found = decoded(np.array([[4.0, 8.0, 11.0, 23.0]]), moves, 1.0)
    np.testing.assert_allclose(found.boxes, [[4, 16, 19, 23]])


def test_overlaps_small_boxes_and_the_image():
    inputs, given = of_image()
    rois, scores, numbers = generate(*inputs, **given)
    assert rois.tolist() == [[0, 0, 20, 10], [30, 30, 60, 50]]
    assert scores.tolist() == [0.75, 0.25]
    assert numbers.tolist() == [2]
    inputs, given = of_image(nms_threshold=0.5)
    assert generate(*inputs, **given)[1].tolist() == [0.75, 0.5, 0.25]


def test_small_boxes_are_removed_behind_or_before_the_count():
    inputs, given = of_image(pre_nms_count=2)
    assert generate(*inputs, **given)[1].tolist() == [0.75]
    flat = (inputs[0][0], np.array(BOXES, np.float32), inputs[2][0], inputs[3][0])
    given["nms_threshold"] = 0.6
    rois, scores = detectron(*flat, **given)
    assert scores.tolist() == [0.75, 0.5, 0]
    assert rois[2].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "adapts, kept", [("candidates", [0, 3]), ("later", [0, 3]), ("next", [0, 1, 3])]
)
def test_the_threshold_falls(adapts, kept):
    """Boxes 16 long that are 2 apart share 14/18, 4 apart 12/20, 6 apart 10/22; 0.8 becomes 0.56, then 0.392."""
    boxes = np.array([[x, 0, x + 16, 1] for x in (0.0, 2.0, 4.0, 8.0)])
    assert suppressed(boxes, 0.8, 9, 0.0, 0.7, adapts)[0] == 0
    assert suppressed(boxes, 0.8, 9, 0.0, 0.7, adapts) == kept


@pytest.mark.parametrize("drops_equal, kept", [(False, [0, 1]), (True, [0])])
def test_thresholds_are_told_as_f32_can(drops_equal, kept):
    """Two boxes share 7 of 10; the f32 number next to 0.7 is below it."""
    boxes = np.array([[0, 0, 10, 1], [0, 0, 7, 1.0]])
    given = {"limit": 9, "extent": 0.0, "drops_equal": drops_equal}
    for threshold in (0.7, float(np.float32(0.7)), float(np.nextafter(np.float32(0.7), 1))):
        assert suppressed(boxes, threshold, **given) == kept
    assert suppressed(boxes, 0.69999, **given) == [0]
    assert suppressed(boxes, 0.70001, **given) == [0, 1]


def test_equal_scores_have_any_order():
    inputs, given = of_image([0.5, 0.25, 0.125, 0.5])
    outputs = generate(*inputs, **given)
    call = Call(generate, inputs, given, outputs, ["f32", "f32", "i64"])
    near = generate.accuracy[0].nearest
    other = [outputs[0][[1, 0]], outputs[1], outputs[2]]
    assert near(call, other)[0].tolist() == other[0].tolist()
    wrong = [outputs[0] + 30, outputs[1], outputs[2]]
    assert near(call, wrong)[0].tolist() in (outputs[0].tolist(), other[0].tolist())


ATTRIBUTES = {
    "base_size": 16,
    "pre_nms_topn": 10,
    "post_nms_topn": 3,
    "nms_thresh": 0.3,
    "feat_stride": 8,
    "min_size": 4,
    "ratio": (1.0,),
    "scale": (1.0,),
}


def points(scores):
    """Points 8 apart in a row: boxes of 16 pixels, whose neighbours share a third."""
    count = len(scores)
    probabilities = np.stack([np.ones(count), np.array(scores)])[None, :, None, :]
    return probabilities, np.zeros((1, 4, 1, count)), np.array([64.0, 128.0, 1.0])


def proposed(scores, **changes):
    return proposal(*points(scores), **{**ATTRIBUTES, **changes})


def test_proposals_and_their_end():
    boxes, scores = proposed([0.5, 0.75, 0.25, 0.125])
    assert boxes[:2].tolist() == [[0, 8, 0, 23, 15], [0, 24, 0, 39, 15]]
    assert boxes[2, 0] == -1
    assert scores[:2].tolist() == [0.75, 0.125]
    assert np.isnan(scores[2])
    boxes, scores = proposed([0.5, 0.75, 0.25, 0.125], nms_thresh=0.34)
    assert scores.tolist() == [0.75, 0.5, 0.25]
    boxes, _ = proposed([0.5, 0.25], normalize=True)
    assert boxes[0].tolist() == [0, 0, 0, 15 / 128, 15 / 64]


def test_equal_scores_of_rounded_boxes_have_any_order():
    """bf16 rounds 39 to 39.25 after a step of 0.25: the box is still the one of the other point."""
    inputs, given = points([0.5, 0.25, 0.125, 0.5]), {**ATTRIBUTES, "clip_before_nms": True}
    outputs = proposal(*inputs, **given)
    assert outputs[0][:2].tolist() == [[0, 0, 0, 15, 15], [0, 24, 0, 39, 15]]
    rounded = outputs[0] + [0, 0.25, 0.25, 0.25, 0.25]
    call = Call(proposal, inputs, given, outputs, ["bf16", "bf16"])
    found = proposal.accuracy[0].nearest(call, [rounded[[1, 0, 2]], outputs[1]])
    assert found[0][:2].tolist() == outputs[0][[1, 0]].tolist()


def test_an_image_of_negative_size_has_the_bounds_of_its_mirror():
    """Coordinates are divided by a negative number: their errors are as large."""
    probabilities = np.array([[[[0.5]], [[0.5]]]], np.float32)
    deltas = np.array([0.125, 0.25, 0.5, 0.125], np.float32).reshape(1, 4, 1, 1)
    given = {**ATTRIBUTES, "clip_before_nms": False, "normalize": True, "post_nms_topn": 1}

    def bound_of(*image):
        inputs = [probabilities, deltas, np.array([*image, 1.0], np.float32)]
        expected, _ = answer("Proposal-4", inputs, given)
        return expected.bound[0, 1:]

    assert (bound_of(-64.0, -128.0) > 0).all()
    assert np.array_equal(bound_of(-64.0, -128.0), bound_of(64.0, 128.0))


def test_anchors_of_scales_and_ratios():
    """With base_size 16: a scale of 2 is 32 pixels about the same center, a ratio of 4 is 8 wide and 32 high."""
    boxes, _ = proposed([0.5], scale=(2.0,), clip_before_nms=False)
    assert boxes[0].tolist() == [0, -8, -8, 23, 23]
    boxes, _ = proposed([0.5], ratio=(4.0,), clip_before_nms=False)
    assert boxes[0].tolist() == [0, 4, -8, 11, 23]
    boxes, _ = proposed([0.5], ratio=(4.0,), clip_before_nms=False, clip_after_nms=True)
    assert boxes[0].tolist() == [0, 4, 0, 11, 23]


@pytest.mark.parametrize("extent", [0.0, 1.0])
def test_boxes_decoded_in_f32_are_within_their_errors(extent):
    """Each step rounded once: anchors of all sizes, also upside down."""
    rng = np.random.RandomState(3)
    f32 = np.float32
    corners = rng.uniform(-300, 300, (2000, 4)).astype(f32)
    deltas = rng.uniform(-1.5, 1.5, (2000, 4)).astype(f32)
    found = decoded(corners.astype(np.float64), deltas.astype(np.float64), extent)
    low, high = corners[:, :2], corners[:, 2:]
    sides = (high - low) + f32(extent)
    centers = (low + sides * f32(0.5)) + deltas[:, :2] * sides
    halves = np.exp(deltas[:, 2:]) * sides * f32(0.5)
    boxes = np.concatenate([centers - halves, centers + halves - f32(extent)], axis=1)
    errors = np.abs(boxes.astype(np.float64) - found.boxes) / 2.0**-23
    # The last rounding is that of the box.
    allowed = found.size + np.abs(found.boxes)
    assert np.all(errors <= allowed)
    assert np.max(errors / allowed) > 0.1
