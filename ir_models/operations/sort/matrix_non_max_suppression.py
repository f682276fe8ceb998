"""MatrixNonMaxSuppression: scores of boxes fall as far as better ones overlap them (page MatrixNonMaxSuppression-8)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.boxes import corners_on_grid
from ir_models.families.detections import *

DECAY = Attribute("decay_function", ("gaussian", "linear"), default="linear", plain="gaussian")
SIGMA = Attribute("gaussian_sigma", float, default=2.0, plain=0.75)
POST_THRESHOLD = Attribute("post_threshold", float, default=0.0, plain=0.0625)
# So fine that no three of a hundred boxes are one.
CELLS = 32


def boxes(layer, state):
    """Boxes with corners on a grid, in pixels where they are not normalized."""
    if layer.boxes.shape[2:] != (4,):
        return None
    found = np.concatenate(corners_on_grid(layer.boxes.shape[:2], CELLS, state), axis=-1)
    return found / (CELLS if layer.normalized else 1)


ALL = "keep_top_k=-1; nms_top_k=-1; background_class=-1; post_threshold=0.0"
THREE = "scores=f32:[[[0.75,0.5,0.25]]]"
# Each of length 4, one further than the one before: two neighbours have an IOU of 3/5, the next but one 2/6.
CHAIN = "boxes=f32:[[[0,0,4,1],[1,0,5,1],[2,0,6,1],[3,0,7,1],[4,0,8,1]]]; scores=f32:[[[0.875,0.75,0.5,0.625,0.25]]]"
# The second is the first one; the third lies in them, the last one is apart.
TWICE = (
    "boxes=f32:[[[0,0,4,4],[0,0,4,4],[0,0,4,2],[9,9,12,12]]]; scores=f32:[[[0.75,0.5,0.875,0.25]]]"
)
LINEAR, BOTH = "decay_function=linear", "decay_function=linear|gaussian"
DECAYS = f"""
    decay: by a linear function, or a gaussian one with sigma
        {HALVES}; {THREE}; {ALL}; decay_function=linear|gaussian; gaussian_sigma=2.0|0.5|0.0
        decay_function=linear; gaussian_sigma=0.5
        decay_function=gaussian; gaussian_sigma=-|3.5
    compensation: a box that others cover itself makes those behind it decay less
        {CHAIN}; {ALL}; {BOTH}; score_threshold=0.125|0.3125
        {CHAIN}; {ALL}; {BOTH}; nms_top_k=2|3|4
    areas: the union is both areas less what is shared; boxes that touch share nothing
        {UNEQUAL}; {ALL}; {BOTH}
    coinciding: of two boxes at one place the worse one decays to 0, by the linear function
        {TWICE}; {ALL}; {BOTH}
    score-at-threshold: a score that is the threshold is no candidate's
        {HALVES}; {THREE}; {ALL}; score_threshold=0.5|0.25|0.75; decay_function=linear
    post-threshold: boxes whose decayed score is not higher are out
        post_threshold=0.25|0.5|0.75; {BOTH}
        {CHAIN}; keep_top_k=-1|2; nms_top_k=-1; background_class=-1; {BOTH}; post_threshold=0.28|0.4|0.6
    post-at-threshold: a score that is the threshold is out, also where it did not decay
        {HALVES}; {THREE}; {ALL}; post_threshold=0.25|0.75; {BOTH}
    none-left: a threshold that only better scores than there are could pass
        post_threshold=0.9999|2.0
    at-most-none: at most 0 boxes of each class, or of each batch element, are none
        {CHAIN}; keep_top_k=-1; nms_top_k=0; background_class=-1; {BOTH}
        {CHAIN}; keep_top_k=0; nms_top_k=-1; background_class=-1; {BOTH}
    candidates-before-decay: nms_top_k counts boxes that decay to nothing
        {TWICE}; {ALL}; nms_top_k=3|2; decay_function=linear
    kept-after-decay: keep_top_k looks at decayed scores
        {CHAIN}; {ALL}; keep_top_k=1|2|3; {BOTH}
    negative-scores: a threshold below 0 lets all boxes be candidates
        {HALVES}; scores=f32:[[[0.75,0.0,0.25]]]; {ALL}; score_threshold=-1.0; post_threshold=-1.0; {LINEAR}
    scores-of-f64: numbers that differ in f64 alone
        {HALVES.replace("f32", "f64")}; scores=f64:[[[0.5,0.5000000000009,0.5000000000018]]]; {ALL}; {LINEAR}
"""
ATTRIBUTES = [
    SORT, ACROSS, OUTPUT_TYPE, SCORE_THRESHOLD, NMS_TOP_K, KEEP_TOP_K, BACKGROUND, NORMALIZED, DECAY, SIGMA,
    POST_THRESHOLD,
]  # fmt: skip

MatrixNonMaxSuppression = detections(
    "MatrixNonMaxSuppression-8",
    "opset8",
    "MatrixNms",
    ATTRIBUTES,
    examples(
        "boxes=[3,100,4]; scores=[3,5,100]; decay_function=gaussian; sort_result=score; output_type=i64"
        " -> [-1,6], [-1,1], [3]",
        ports=[0, 1, 5, 6, 7],
    ),
    DECAYS,
    [
        Reading(
            "scores that decayed, which differ by no more than rounding errors",
            "Either order is right; one that is so near to post_threshold is selected or not.",
            "The page computes them from quotients or exponentials, and does not say in which precision.",
            "silence",
        ),
        Reading(
            "'decay_factor = (1 - X) / (1 - X_cmax)' of three boxes at one place, which is 0 / 0",
            "They are not tested.",
            "The minimum of numbers and of one that has no value is not defined.",
            "silence",
        ),
    ],
    inputs=[
        Input("boxes", T, shape="num_batches, num_boxes, 4", values=boxes),
        Input("scores", T, shape="num_batches, num_classes, num_boxes", values=off_half),
    ],
)


@MatrixNonMaxSuppression.random
def layer(draw):
    return {
        **drawn(draw),
        "decay_function": draw.choice(["gaussian", "linear", None]),
        "gaussian_sigma": draw.choice([0.25, 1.5, None]),
        "post_threshold": draw.choice([0.0313, 0.1877, None]),
    }
