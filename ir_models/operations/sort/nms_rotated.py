"""NMSRotated: of rotated boxes that overlap, the one with the best score (page NMSRotated-13)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.boxes import (
    A_HALF,
    A_QUARTER,
    ABOVE_ALL,
    EQUAL_SCORES_ARE_OPEN,
    PORTS_WITHOUT_VALUES,
    T_MAX_BOXES,
    T_THRESHOLDS,
    THREE_QUARTERS,
    TRIPLETS,
    WITH_SCORES,
    WITHOUT_AREA,
    distinct_scores,
    number,
)

T = types("T", "floating-point type")

QUARTER = float(np.float32(np.pi / 2))
EIGHTH, HALF = QUARTER / 2, 2 * QUARTER


def rotated_boxes(layer, state):
    """Boxes around one place, turned to both sides and by more than a turn, no two in one direction.

    So no edges lie on each other, where rounding decides what is a corner of the polygon.
    """
    if layer.boxes.shape[2:] != (5,):
        return None
    batches, boxes = layer.boxes.shape[:2]
    # Large layers repeat the boxes of a few batch elements, not their scores: of many more, one IOU would be so near to
    # a threshold that rounding decides.
    drawn = min(batches, 16)
    center, size = (
        state.randint(16, 49, (drawn, boxes, 2)),
        state.randint(12, 49, (drawn, boxes, 2)),
    )
    turns = [np.resize(state.permutation(225), boxes) - 112 for _ in range(drawn)]
    angles = np.reshape(turns, (drawn, boxes, 1)) / 16
    found = np.concatenate([center / 8, size / 8, angles], axis=-1)
    return np.resize(found, layer.boxes.shape)


SCORES = "scores=f32:[[[0.75,0.5,0.25]]]"
# A box of 4 by 2, and itself turned by 90 degrees: they share 4 of 12.
CROSS = f"boxes=f32:[[[3,3,4,2,0],[3,3,4,2,{QUARTER}],[9,9,2,2,0]]]; {SCORES}"
CROSS_OF_F64 = CROSS.replace("boxes=f32", "boxes=f64")
# Turned by 180 degrees, and by two turns, it is the box itself.
SAME = f"boxes=f32:[[[3,3,4,2,0],[3,3,4,2,{HALF}],[3,3,4,2,{-4 * QUARTER}]]]; {SCORES}"
# A square of 2 by 2 and itself turned by 45 degrees share an octagon: 8 (sqrt 2 - 1) of 4 each, an IOU of 0.7071.
OCTAGON = f"boxes=f32:[[[3,3,2,2,0],[3,3,2,2,{EIGHTH}],[3,3,2,2,{-EIGHTH}]]]; {SCORES}"
# A long box along one diagonal or the other, as the angle turns, and a square on each diagonal.
DIAGONALS = f"boxes=f32:[[[0,0,8,2,{EIGHTH}],[2,2,2,2,0],[2,-2,2,2,0]]]; {SCORES}"
# A box inside another one, one that cuts its corner, and one that the corner of it touches.
INSIDE = f"boxes=f32:[[[2,2,4,4,0],[2,2,2,1,{EIGHTH}],[4,4,2,2,{EIGHTH}],[9,9,4,4,1.0]]]"
# Boxes of whole corners, turned by quarters: they have corners, edges and parts of edges in common.
EDGES = (
    f"boxes=f32:[[[2,4,4,2,{-4 * QUARTER}],[5,4,6,4,0],[6,4,2,4,{HALF}],[6,2,4,4,{QUARTER}],[2,2,6,4,{-4 * QUARTER}]"
    f",[2,3,4,2,{-QUARTER}]]]"
)
NEGATIVE = f"boxes=f32:[[[3,3,-4,-2,0],[3,3,4,2,{QUARTER}],[3,3,-4,-2,{HALF}]]]; {SCORES}"
ALIKE = (
    "boxes=f32:[[[1,1,2,2,0],[1,1,2,1.5,0],[5,5,2,2,0],[9,9,2,2,0],[14,14,2,2,0]]]; score_threshold=0.25; "
    f"scores=f32:[[[0.5,0.5,0.75,0.5,0.75],[0.5,0.5,0.5,0.5,0.5]]]; iou_threshold={A_HALF}"
)

NMSRotated = Operation(
    "NMSRotated-13",
    "opset13",
    inputs=[
        Input("boxes", T, shape="num_batches, num_boxes, 5", values=rotated_boxes),
        Input("scores", T, shape="num_batches, num_classes, num_boxes", values=distinct_scores),
        number("max_output_boxes_per_class", T_MAX_BOXES, 4, optional=False),
        number("iou_threshold", T_THRESHOLDS, A_QUARTER, optional=False),
        number("score_threshold", T_THRESHOLDS, 0.125, optional=False),
    ],
    sizes={"num_batches": 2, "num_boxes": 7, "num_classes": 3},
    outputs=TRIPLETS,
    attributes=[
        Attribute("sort_result_descending", bool, default=True, plain=True),
        Attribute("output_type", ("i64", "i32"), default="i64", plain="i64"),
        Attribute("clockwise", bool, default=True, plain=True),
    ],
    examples=examples(
        f"""
        boxes=[3,100,5]; scores=[3,5,100]; max_output_boxes_per_class=10; iou_threshold={ABOVE_ALL};
        score_threshold=0.0; sort_result_descending=true; output_type=i64; clockwise=true
            -> [150,3], [150,3], [1]
        """,
        ports=[0, 1, 2, 3, 4, 6, 7, 8],
    ),
    violations=[
        "scores=[2,3,1]",
        "max_output_boxes_per_class=[4,4]",
        "iou_threshold=[0.25,0.25]",
        "score_threshold=[0.125,0.125]",
    ],
    variants=variants(f"""
        max-boxes: of each class
            max_output_boxes_per_class=1|2|7|100
        no-boxes: 0 boxes
            max_output_boxes_per_class=0
        iou-threshold: boxes beyond it are out
            iou_threshold={1 / 128}|{A_HALF}|{THREE_QUARTERS}|{ABOVE_ALL}
        quarter-turn: a box turned by 90 degrees
            {CROSS}; iou_threshold=0.3125|0.375; clockwise=true|false
        half-turn: a box turned by 180 and 360 degrees is the same
            {SAME}; iou_threshold=0.9375|1.0625
        eighth-turn: intersections of edges are corners of the polygon
            {OCTAGON}; iou_threshold=0.6875|0.71875
        clockwise: the direction of a positive angle
            {DIAGONALS}; iou_threshold=0.0625; clockwise=true|false
        inside: corners of a box inside another one
            {INSIDE}; scores=f32:[[[0.75,0.5,0.25,0.375]]]; iou_threshold=0.015625|0.09375|0.15625
            {INSIDE}; scores=f32:[[[0.375,0.75,0.25,0.5]]]; iou_threshold=0.015625|0.09375|0.15625
        coinciding-edges: a corner of the polygon may lie on edges of both boxes; boxes that touch share nothing
            {EDGES}; scores=f32:[[[0.75,0.875,1.0,0.5,0.6875,0.625]]]; iou_threshold={1 / 128}|0.1875|0.2578125|0.375
            {EDGES}; scores=f32:[[[0.5,0.6875,0.625,0.75,1.0,0.875]]]; iou_threshold={1 / 128}|0.1875|0.2578125|0.375
        apart: the IOU of boxes that share nothing is the threshold 0
            boxes=f32:[[[2,2,2,2,0.5],[6,2,2,2,1],[2,6,2,2,-2]]]; {SCORES}; iou_threshold=0.0
        negative-sizes: a box of negative width and height is the same box
            {NEGATIVE}; iou_threshold=0.3125|0.375|1.0625
        score-threshold: boxes below it are out
            score_threshold=0.5|0.875
        score-at-threshold: a score may be the threshold
            {CROSS}; score_threshold=0.5|0.25; iou_threshold=0.375
        close-scores: the better score wins, by however little
            {CROSS}; scores=f32:[[[0.5,0.5000001,0.5000002]]]; iou_threshold=0.3125
        scores-of-f64: of f64 too
            {CROSS_OF_F64}; scores=f64:[[[0.5,0.5000000000009,0.5000000000018]]]; iou_threshold=0.3125
            {CROSS_OF_F64}; scores=f64:[[[0.5000000000018,0.5000000000009,0.5]]]; iou_threshold=0.3125
        no-scores: all below the threshold
            score_threshold=2.0
        equal-scores: the page leaves their order open
            {ALIKE}; max_output_boxes_per_class=3|5; sort_result_descending=false|true
        suppressed-at-score-0: a suppressed box has the score 0, which is not below this threshold
            score_threshold=0.0; max_output_boxes_per_class=2|7
        not-sorted: boxes in the order of batches and classes
            sort_result_descending=false; max_output_boxes_per_class=2
        scalar-as-1d: numbers may be 1D tensors of one element
            max_output_boxes_per_class=[3]; iou_threshold=[{A_HALF}]; score_threshold=[0.125]
    """),
    readings=[
        *WITH_SCORES,
        EQUAL_SCORES_ARE_OPEN,
        WITHOUT_AREA,
        PORTS_WITHOUT_VALUES,
        Reading(
            "'positive value of the angle is clockwise'",
            "As seen in an image, where y counts downwards: a quarter turn clockwise takes the x axis to the y axis.",
            "Boxes are those of images; the page does not say where y points.",
            admits="The other direction, of a y axis that points upwards.",
        ),
        Reading(
            "a box of negative width or height",
            "Of both it is the box of the positive ones; of one it is not tested.",
            "Its four corners are the same ones, and so is width * height; of one negative side the area would be "
            "negative.",
            "silence",
        ),
        Reading(
            "an IOU that is iou_threshold",
            "It is tested of boxes that share nothing.",
            "Sines round: another IOU is not exactly a number.",
            "silence",
        ),
    ],
)


@NMSRotated.random
def layer(draw):
    batches, classes, boxes = draw.integer(1, 3), draw.integer(1, 4), draw.integer(1, 16)
    return {
        "boxes": [batches, boxes, 5],
        "scores": [batches, classes, boxes],
        "max_output_boxes_per_class": draw.integer(1, 18),
        "iou_threshold": draw.choice([A_QUARTER, A_HALF, THREE_QUARTERS]),
        "score_threshold": draw.choice([0.0625, 0.25, 0.5]),
        "sort_result_descending": draw.choice([True, False, None]),
        "output_type": draw.choice(["i64", "i32", None]),
        "clockwise": draw.choice([True, False, None]),
    }
