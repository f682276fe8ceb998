"""NonMaxSuppression: of boxes that overlap, the one with the best score (page NonMaxSuppression-9)."""

import numpy as np

from ir_models.declaration import *
from ir_models.element_types import ELEMENT_TYPES, i64

T = types("T", "floating-point type")
T_MAX_BOXES = types("T_MAX_BOXES", "integer type")
T_THRESHOLDS = types("T_THRESHOLDS", "floating-point type")

OPTIONAL = ("max_output_boxes_per_class", "iou_threshold", "score_threshold", "soft_nms_sigma")


# On a grid of 8 by 8 no IOU, a quotient of two numbers of cells, is one of these; what happens at a threshold has
# cases of its own.
A_QUARTER, A_HALF, THREE_QUARTERS, ABOVE_ALL = 33 / 128, 65 / 128, 95 / 128, 1.5


def grid_boxes(layer, state):
    """Boxes with corners on a grid of eighths (quarters in 16-bit types): areas are exact, an IOU a simple fraction."""
    if layer.boxes.shape[2:] != (4,):
        return None
    cells = 4 if layer.boxes.element_type.bits == 16 else 8
    count = layer.boxes.shape[:2]
    begin = state.randint(0, cells, (*count, 2))
    end = begin + 1 + (state.random_sample((*count, 2)) * (cells - begin)).astype(int)
    if layer.box_encoding == "center":
        center, size = (begin + end) / (2 * cells), (end - begin) / cells
        return np.concatenate([center[..., ::-1], size[..., ::-1]], axis=-1)
    # Any diagonal: begin and end of an axis may be swapped.
    swapped = state.randint(0, 2, begin.shape).astype(bool)
    corners = [np.where(swapped, end, begin), np.where(swapped, begin, end)]
    return np.concatenate(corners, axis=-1) / cells


def distinct_scores(layer, state):
    """Scores in (0, 1], all different, as short as their number allows."""
    count = layer.scores.size
    levels = max(256, 2 ** int(np.ceil(np.log2(count + 1))))
    spread = state.permutation(count) * (levels // max(count, 1)) + 1
    return spread / levels


def output_type(layer):
    return ELEMENT_TYPES.get(layer.output_type, i64)


def present(layer):
    return [layer.inputs[name] is not None for name in OPTIONAL]


def number(name, kinds, plain):
    return Index(name, kinds, shape="scalar or 1", optional=True, plain=plain)


SCORES = "scores=f32:[[[0.75,0.5,0.25]]]"
# Two boxes of IOU 1/2, and one apart from them.
BOXES = "[[[0.0,0.0,1.0,1.0],[0.0,0.0,1.0,0.5],[2.0,2.0,3.0,3.0]]]"
HALVES = f"boxes=f32:{BOXES}; {SCORES}"
# Corners of boxes of sides 2 x 4, 4 x 2 and 1 x 8: the first two share 4 of 12, the first and the last 2 of 14.
UNEQUAL = "boxes=f32:[[[0,0,2,4],[0,0,4,2],[0,2,1,10],[20,20,21,21]]]; scores=f32:[[[0.75,0.625,0.5,0.25]]]"
CLOSE_SCORES = "scores=f64:[[[0.5,0.5000000000009,0.5000000000018]]]"
TWICE = f"boxes=f32:[[[0,0,1,1],[0,0,1,1],[2,2,3,3]]]; {SCORES}"
EQUAL_SCORES = (
    "boxes=f32:[[[0,0,1,1],[0,0,1,0.75],[0,0.25,1,1],[2,2,3,3],[4,0,5,1]]]; score_threshold=0.25; "
    f"scores=f32:[[[0.5,0.5,0.75,0.5,0.75],[0.5,0.5,0.5,0.5,0.5]]]; iou_threshold={A_HALF}"
)

NonMaxSuppression = Operation(
    "NonMaxSuppression-9",
    "opset9",
    # Several boxes of each class are selected, suppressed, and below the score.
    inputs=[
        Input("boxes", T, shape="num_batches, num_boxes, 4", values=grid_boxes),
        Input("scores", T, shape="num_batches, num_classes, num_boxes", values=distinct_scores),
        number("max_output_boxes_per_class", T_MAX_BOXES, 5),
        number("iou_threshold", T_THRESHOLDS, A_HALF),
        number("score_threshold", T_THRESHOLDS, 0.125),
        number("soft_nms_sigma", T_THRESHOLDS, 0.0),
    ],
    sizes={"num_batches": 2, "num_boxes": 7, "num_classes": 3},
    outputs=[
        Output("selected_indices", output_type),
        Output("selected_scores", T_THRESHOLDS),
        Output("valid_outputs", output_type),
    ],
    attributes=[
        Attribute("box_encoding", ("corner", "center"), default="corner", plain="corner"),
        Attribute("sort_result_descending", bool, default=True, plain=True),
        Attribute("output_type", ("i64", "i32"), default="i64", plain="i64"),
    ],
    # The page leaves the other values open. With these nothing is suppressed, and so as many boxes are selected as its
    # outputs have room for.
    examples=examples(f"""
        boxes=[3,100,4]; scores=[3,5,100]; max_output_boxes_per_class=10; iou_threshold={ABOVE_ALL};
        score_threshold=0.0; soft_nms_sigma=0.0; box_encoding=corner; sort_result_descending=true; output_type=i64
            -> [150,3], [150,3], [1]
    """),
    rules=[
        rule(
            "an input is left out only with those after it: ports are counted",
            lambda layer: present(layer) == sorted(present(layer), reverse=True),
            unasked="IR tells inputs by their order: the next one takes the place",
        )
    ],
    readings=[
        Reading(
            "iou_threshold 'Optional with default value 0 meaning keep all boxes', against "
            "func(iou) = 1 if iou <= iou_threshold else 0",
            "Left out, all boxes are kept.",
            "The sentence says what leaving it out means; by the formula 0 drops every box that "
            "overlaps at all.",
            "contradiction",
            admits="A threshold of 0 in the formula, which drops all that overlap.",
        ),
        Reading(
            "steps 5 to 7: a suppressed box stays in the list with the score 0",
            "It is selected later where its score 0 is not below score_threshold, or is dropped: "
            "both are right.",
            "By the steps it stays; a box that was suppressed is none to select.",
            "contradiction",
        ),
        Reading(
            "the order of equal scores, and of scores that Soft-NMS computed within their errors",
            "Any order is right.",
            "'Take the box with highest score' does not tell equal ones apart.",
            "silence",
        ),
        Reading(
            "func(iou) with soft_nms_sigma != 0 has no iou_threshold",
            "The scores of all boxes that overlap are lowered, also beyond iou_threshold.",
            "The formula.",
            admits="Boxes beyond iou_threshold are dropped as well.",
        ),
        Reading(
            "IOU of boxes without an area",
            "It is not asked.",
            "0 / 0 has no value.",
            "silence",
        ),
        Reading(
            "the number of rows of the outputs",
            "As many as are selected, or the upper bound with rows of -1 behind them.",
            "'Plugins which do not support dynamic output tensors' do the latter.",
        ),
        Reading(
            "the values of the example's other inputs",
            "Those with which as many boxes are selected as the printed outputs have room for.",
            "The page prints ports without values.",
            "silence",
        ),
        Reading(
            "inputs that are left out",
            "Only with all inputs behind them.",
            "Inputs are counted.",
            "silence",
        ),
    ],
    violations=[
        "scores=[2,3,1]",
        "max_output_boxes_per_class=[5,5]",
        "iou_threshold=[0.5,0.5]",
        "score_threshold=[0.125,0.125]",
        "soft_nms_sigma=[0.0,0.0]",
    ],
    variants=variants(f"""
        left-out-from-the-end: optional inputs have defaults
            max_output_boxes_per_class=-; iou_threshold=-; score_threshold=-; soft_nms_sigma=-
            iou_threshold=-; score_threshold=-; soft_nms_sigma=-
            score_threshold=-; soft_nms_sigma=-
            soft_nms_sigma=-
        max-boxes: of each class
            max_output_boxes_per_class=1|2|7|100
        no-boxes: 0 boxes
            max_output_boxes_per_class=0
        iou-threshold: boxes beyond it are out
            iou_threshold={1 / 128}|{A_QUARTER}|{THREE_QUARTERS}|{ABOVE_ALL}
        iou-at-threshold: boxes that do not touch have an IOU of 0, those of the same corners one of 1
            {HALVES}; iou_threshold=0.5|0.4375|0.5625; score_threshold=0.125
            {TWICE}; iou_threshold=0.0|1.0
        areas: the union is both areas less what is shared, in boxes of unequal sides and of unequal areas
            {UNEQUAL}; iou_threshold=0.125|0.15625|0.25|0.3125|0.375|0.4375; score_threshold=0.125
            {UNEQUAL}; iou_threshold=0.25|0.3125|0.375|0.4375; score_threshold=0.125; box_encoding=center
        decay: a score is lowered by exp(-0.5 * IOU * IOU / sigma), once for every box that is selected
            {UNEQUAL}; soft_nms_sigma=0.125|0.5|2.0; iou_threshold={ABOVE_ALL}; score_threshold=0.0
        score-threshold: boxes below it are out
            score_threshold=0.5|0.875
        score-at-threshold: a score may be the threshold
            {HALVES}; iou_threshold=0.75; score_threshold=0.5|0.25
        no-scores: all below the threshold
            score_threshold=2.0
        soft-nms: scores of boxes that overlap are lowered
            soft_nms_sigma=0.5; iou_threshold={ABOVE_ALL}; score_threshold=0.125|0.0
            soft_nms_sigma=0.0625; iou_threshold={ABOVE_ALL}; score_threshold=0.125
            soft_nms_sigma=2.0; iou_threshold={ABOVE_ALL}; score_threshold=0.5
        soft-nms-beyond-threshold: the function has no threshold: boxes lose score, however much they overlap
            soft_nms_sigma=0.5; iou_threshold={A_QUARTER}
            soft_nms_sigma=2.0; iou_threshold={1 / 128}
        scalar-as-1d: numbers may be 1D tensors of one element
            max_output_boxes_per_class=[3]; iou_threshold=[{A_HALF}]; score_threshold=[0.125]; soft_nms_sigma=[0.0]
            iou_threshold=[{A_HALF}]
        equal-scores: the page leaves their order open
            {EQUAL_SCORES}; max_output_boxes_per_class=3|5; sort_result_descending=false|true
        suppressed-at-score-0: a suppressed box has the score 0, which is not below this threshold
            score_threshold=0.0; iou_threshold={A_QUARTER}; max_output_boxes_per_class=2|7
        scores-of-f64: the better score wins, by however little
            boxes=f64:{BOXES}; {CLOSE_SCORES}; iou_threshold=0.4375; score_threshold=0.125
        not-sorted: boxes in the order of batches and classes
            sort_result_descending=false; max_output_boxes_per_class=2
    """),
)


@NonMaxSuppression.random
def layer(draw):
    batches, classes, boxes = draw.integer(1, 3), draw.integer(1, 4), draw.integer(1, 20)
    sigma = draw.choice([0.0, 0.0, 0.5, 1.0])
    return {
        "boxes": [batches, boxes, 4],
        "scores": [batches, classes, boxes],
        "max_output_boxes_per_class": draw.integer(1, 22),
        # What happens beyond the threshold in Soft-NMS has cases of its own.
        "iou_threshold": (
            draw.choice([A_QUARTER, A_HALF, THREE_QUARTERS]) if sigma == 0 else ABOVE_ALL
        ),
        "score_threshold": draw.choice([0.0625, 0.25, 0.5]),
        "soft_nms_sigma": draw.choice([sigma, None]) if sigma == 0 else sigma,
        "box_encoding": draw.choice(["corner", "center", None]),
        "sort_result_descending": draw.choice([True, False, None]),
        "output_type": draw.choice(["i64", "i32", None]),
    }
