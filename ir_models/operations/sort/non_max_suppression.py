"""NonMaxSuppression: of boxes that overlap, the one with the best score (pages NonMaxSuppression-1, -3, -4, -5, -9)."""

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
    cells_of,
    corners_on_grid,
    distinct_scores,
    number,
)

FLOATING = "floating-point type"
T = types("T", FLOATING)

OPTIONAL = ("max_output_boxes_per_class", "iou_threshold", "score_threshold", "soft_nms_sigma")


def grid_boxes(layer, state):
    """Boxes with corners on a grid of eighths (quarters in 16-bit types), given by any diagonal."""
    if layer.boxes.shape[2:] != (4,):
        return None
    cells = cells_of(layer)
    begin, end = corners_on_grid(layer.boxes.shape[:2], cells, state)
    if layer.box_encoding == "center":
        center, size = (begin + end) / (2 * cells), (end - begin) / cells
        return np.concatenate([center[..., ::-1], size[..., ::-1]], axis=-1)
    swapped = state.randint(0, 2, begin.shape).astype(bool)
    corners = [np.where(swapped, end, begin), np.where(swapped, begin, end)]
    return np.concatenate(corners, axis=-1) / cells


def present(layer):
    return [layer.inputs[name] is not None for name in OPTIONAL if name in layer.inputs]


SCORES = "scores=f32:[[[0.75,0.5,0.25]]]"
# Two boxes of IOU 1/2, and one apart from them.
BOXES = "[[[0.0,0.0,1.0,1.0],[0.0,0.0,1.0,0.5],[2.0,2.0,3.0,3.0]]]"
HALVES = f"boxes=f32:{BOXES}; {SCORES}"
# Corners of boxes of sides 2 x 4, 4 x 2 and 1 x 8: the first two share 4 of 12, the first and the last 2 of 14.
UNEQUAL = "boxes=f32:[[[0,0,2,4],[0,0,4,2],[0,2,1,10],[20,20,21,21]]]; scores=f32:[[[0.75,0.625,0.5,0.25]]]"
CLOSE_SCORES = "scores=f64:[[[0.5,0.5000000000009,0.5000000000018]]]"
SCORES_OF_F32 = "scores=f32:[[[0.5,0.5000001,0.5000002]]]"
TWICE = f"boxes=f32:[[[0,0,1,1],[0,0,1,1],[2,2,3,3]]]; {SCORES}"
EQUAL_SCORES = (
    "boxes=f32:[[[0,0,1,1],[0,0,1,0.75],[0,0.25,1,1],[2,2,3,3],[4,0,5,1]]]; score_threshold=0.25; "
    f"scores=f32:[[[0.5,0.5,0.75,0.5,0.75],[0.5,0.5,0.5,0.5,0.5]]]; iou_threshold={A_HALF}"
)
# Boxes that share a corner and an edge, and one inside another.
TOUCHING = (
    "boxes=f32:[[[0,0,4,4],[4,4,8,8],[0,4,4,8],[1,1,3,3]]]; scores=f32:[[[0.5,0.75,0.25,0.375]]]"
)

# Soft-NMS, and the score 0 of a suppressed box.
SOFT = f"""
    decay: a score is lowered by exp(-0.5 * IOU * IOU / sigma), once for every box that is selected
        {UNEQUAL}; soft_nms_sigma=0.125|0.5|2.0; iou_threshold={ABOVE_ALL}; score_threshold=0.0
    soft-nms: scores of boxes that overlap are lowered
        soft_nms_sigma=0.5; iou_threshold={ABOVE_ALL}; score_threshold=0.125|0.0
        soft_nms_sigma=0.0625; iou_threshold={ABOVE_ALL}; score_threshold=0.125
        soft_nms_sigma=2.0; iou_threshold={ABOVE_ALL}; score_threshold=0.5
    soft-nms-beyond-threshold: what the function is beyond iou_threshold
        soft_nms_sigma=0.5; iou_threshold={A_QUARTER}
        soft_nms_sigma=2.0; iou_threshold={1 / 128}
    scalar-as-1d: numbers may be 1D tensors of one element
        max_output_boxes_per_class=[3]; iou_threshold=[{A_HALF}]; score_threshold=[0.125]; soft_nms_sigma=[0.0]
        iou_threshold=[{A_HALF}]
"""


def lines(fixed, limits):
    """Variants of all pages. ``fixed``: the shape of the output is fixed; ``limits``: of boxes per class."""
    names = OPTIONAL[: 3 if fixed else 4]
    left_out = "\n".join("; ".join(f"{name}=-" for name in names[i:]) for i in range(len(names)))
    all_boxes = "max_output_boxes_per_class=5"
    return f"""
    left-out-from-the-end{" (may be empty)" if fixed else ""}: optional inputs have defaults
        {left_out.replace(chr(10), chr(10) + 8 * " ")}
    max-boxes: of each class
        max_output_boxes_per_class={limits}
    no-boxes{" (may be empty)" if fixed else ""}: 0 boxes
        max_output_boxes_per_class=0
    iou-threshold: boxes beyond it are out
        iou_threshold={1 / 128}|{A_QUARTER}|{THREE_QUARTERS}|{ABOVE_ALL}
    iou-at-threshold: boxes that do not touch have an IOU of 0, those of the same corners one of 1
        {HALVES}; iou_threshold=0.5|0.4375|0.5625; score_threshold=0.125; {all_boxes}
        {TWICE}; iou_threshold=0.0|1.0; {all_boxes}
    touching: boxes that touch share nothing; one that is inside another shares its own area
        {TOUCHING}; iou_threshold=0.0|0.1875|0.3125; score_threshold=0.125; {all_boxes}
    areas: the union is both areas less what is shared, in boxes of unequal sides and of unequal areas
        {UNEQUAL}; iou_threshold=0.125|0.15625|0.25|0.3125|0.375|0.4375; score_threshold=0.125; {all_boxes}
        {UNEQUAL}; iou_threshold=0.25|0.3125|0.375|0.4375; score_threshold=0.125; box_encoding=center; {all_boxes}
    score-threshold: boxes below it are out
        score_threshold=0.5|0.875
    score-at-threshold: a score may be the threshold
        {HALVES}; iou_threshold=0.75; score_threshold=0.5|0.25; {all_boxes}
    no-scores{" (may be constant)" if fixed else ""}: all below the threshold
        score_threshold=2.0
    equal-scores: the page leaves their order open
        {EQUAL_SCORES}; max_output_boxes_per_class=3|5; sort_result_descending=false|true
    suppressed-at-score-0: a suppressed box is not selected for a threshold that its score 0 is not below
        score_threshold=0.0; iou_threshold={A_QUARTER}; max_output_boxes_per_class=2|7
    close-scores: the better score wins, by however little
        boxes=f32:{BOXES}; {SCORES_OF_F32}; iou_threshold=0.4375; score_threshold=0.125; {all_boxes}
    scores-of-f64: the better score wins, by however little
        boxes=f64:{BOXES}; {CLOSE_SCORES}; iou_threshold=0.4375; score_threshold=0.125; {all_boxes}
    not-sorted: boxes in the order of batches and classes
        sort_result_descending=false; max_output_boxes_per_class=2
    """


COMMON = [
    Reading(
        "iou_threshold 'Optional with default value 0 meaning keep all boxes', against the algorithm, which drops "
        "boxes of an IOU above iou_threshold",
        "Left out, all boxes are kept.",
        "The sentence says what leaving it out means; by the algorithm 0 drops every box that overlaps at all.",
        "contradiction",
        admits="A threshold of 0 in the algorithm, which drops all that overlap.",
    ),
    EQUAL_SCORES_ARE_OPEN,
    WITHOUT_AREA,
    PORTS_WITHOUT_VALUES,
    Reading(
        "inputs that are left out",
        "Only with all inputs behind them.",
        "Inputs are counted.",
        "silence",
    ),
]
BEYOND = Reading(
    "func(iou) with soft_nms_sigma != 0 has no iou_threshold",
    "The scores of all boxes that overlap are lowered, also beyond iou_threshold.",
    "The formula.",
    admits="Boxes beyond iou_threshold are dropped as well.",
)
FEWER_ROWS = Reading(
    "'min(num_boxes, max_output_boxes_per_class * num_classes)' rows, where more boxes are selected, as of several "
    "batch elements",
    "The first ones in their order: the best, or those of the first classes.",
    "The shape is fixed, and only what is behind the selected boxes is said: 'filled with -1s'.",
    "silence",
    admits="A row for each selected box, as NonMaxSuppression-4 has them.",
)
# Boxes of several batch elements, of which so few have the score that the output has rows for all.
IN_ROWS = """
    batches: each batch element on its own
        boxes=[2,13,4]; scores=[2,3,13]; score_threshold=0.84375; sort_result_descending=true|false
    more-than-rows: the output has rows for the boxes of one batch element
        boxes=[2,13,4]; scores=[2,3,13]; iou_threshold=1.5; sort_result_descending=true|false
"""

OUTPUT_TYPE = [Attribute("output_type", ("i64", "i32"), default="i64", plain="i64")]


def drawn(draw, version):
    has_scores = version >= 5
    batches, classes, boxes = draw.integer(1, 3), draw.integer(1, 4), draw.integer(1, 20)
    sigma = draw.choice([0.0, 0.0, 0.5, 1.0]) if has_scores else 0.0
    most = draw.integer(1, 22)
    if not has_scores:
        # In versions 1 and 3 the output has rows for one batch element, and in all for these boxes alone.
        batches, boxes = (1 if version < 4 else batches), max(boxes, classes)
        most = min(most, boxes // classes)
    given = {
        "boxes": [batches, boxes, 4],
        "scores": [batches, classes, boxes],
        "max_output_boxes_per_class": most,
        # What happens beyond the threshold in Soft-NMS has cases of its own.
        "iou_threshold": (
            draw.choice([A_QUARTER, A_HALF, THREE_QUARTERS]) if sigma == 0 else ABOVE_ALL
        ),
        "score_threshold": draw.choice([0.0625, 0.25, 0.5]),
    }
    if has_scores:
        given["soft_nms_sigma"] = draw.choice([sigma, None]) if sigma == 0 else sigma
    given["box_encoding"] = draw.choice(["corner", "center", None])
    given["sort_result_descending"] = draw.choice([True, False, None])
    if version > 1:
        given["output_type"] = draw.choice(["i64", "i32", None])
    return given


def suppression(name, opset, example, readings, more="", kinds=(T, T, T_THRESHOLDS, T_THRESHOLDS)):
    """NonMaxSuppression of a version; ``kinds`` are the types of boxes, scores and the two thresholds."""
    version = int(name.rpartition("-")[2])
    has_scores, shape = version >= 5, "scalar or 1" if version >= 5 else "scalar"
    # Versions 1 and 3 have rows for the boxes of one batch element. So few of a class fill rows of a fixed number.
    batches = 1 if version < 4 else 2
    boxes, most = (13, 2) if version < 5 else (7, 5)
    numbers = [
        number("max_output_boxes_per_class", T_MAX_BOXES, most, shape),
        number("iou_threshold", kinds[2], A_HALF, shape),
        number("score_threshold", kinds[3], 0.125, shape),
        *([number("soft_nms_sigma", T_THRESHOLDS, 0.0, shape)] if has_scores else []),
    ]
    operation = Operation(
        name,
        opset,
        # Several boxes of each class are selected, suppressed, and below the score.
        inputs=[
            Input("boxes", kinds[0], shape="num_batches, num_boxes, 4", values=grid_boxes),
            Input(
                "scores",
                kinds[1],
                shape="num_batches, num_classes, num_boxes",
                values=distinct_scores,
            ),
            *numbers,
        ],
        sizes={"num_batches": batches, "num_boxes": boxes, "num_classes": 3},
        outputs=TRIPLETS if has_scores else TRIPLETS[:1],
        attributes=[
            Attribute("box_encoding", ("corner", "center"), default="corner", plain="corner"),
            Attribute("sort_result_descending", bool, default=True, plain=True),
            *(OUTPUT_TYPE if version > 1 else []),
        ],
        examples=example,
        rules=[
            rule(
                "an input is left out only with those after it: ports are counted",
                lambda layer: present(layer) == sorted(present(layer), reverse=True),
                unasked="IR tells inputs by their order: the next one takes the place",
            )
        ],
        readings=[*COMMON, *readings],
        violations=[
            f"scores=[{batches},3,1]",
            "max_output_boxes_per_class=[5,5]",
            "iou_threshold=[0.5,0.5]",
            "score_threshold=[0.125,0.125]",
            *(["soft_nms_sigma=[0.0,0.0]"] if has_scores else []),
        ],
        variants=variants(lines(not has_scores, "1|2|7|100" if has_scores else "1|2|4") + more),
    )

    operation.random(lambda draw: drawn(draw, version))
    return operation


def printed(layer, outputs, iou_threshold=ABOVE_ALL):
    return examples(f"""
        {layer}; iou_threshold={iou_threshold}; score_threshold=0.0; box_encoding=corner; sort_result_descending=true
            -> {outputs}
    """)


ONE_CLASS = "boxes=[1,1000,4]; scores=[1,1,1000]; max_output_boxes_per_class=1000"
FIVE_CLASSES = "boxes=[3,100,4]; scores=[3,5,100]; max_output_boxes_per_class=10; output_type=i64"

NonMaxSuppression1 = suppression(
    "NonMaxSuppression-1",
    "opset1",
    printed(ONE_CLASS, "[1000,3]"),
    [
        FEWER_ROWS,
        Reading(
            "selected_indices: 'integer tensor', of which the example prints I32",
            "i64.",
            "Any integer type is an integer tensor; that of the later pages' default.",
            admits="Another integer type, such as the example's.",
        ),
    ],
    IN_ROWS,
    kinds=[types(each, FLOATING) for each in ("T_BOXES", "T_SCORES", "T_IOU", "T_SCORE_THRESHOLD")],
)
NonMaxSuppression3 = suppression(
    "NonMaxSuppression-3",
    "opset3",
    printed(f"{ONE_CLASS}; output_type=i64", "[1000,3]"),
    [FEWER_ROWS],
    IN_ROWS,
)
NonMaxSuppression4 = suppression(
    "NonMaxSuppression-4", "opset4", printed(FIVE_CLASSES, "[150,3]"), []
)
NonMaxSuppression5 = suppression(
    "NonMaxSuppression-5",
    "opset5",
    printed(FIVE_CLASSES, "[150,3], [150,3], [1]"),
    WITH_SCORES,
    SOFT,
)
NonMaxSuppression9 = suppression(
    "NonMaxSuppression-9",
    "opset9",
    printed(f"{FIVE_CLASSES}; soft_nms_sigma=0.0", "[150,3], [150,3], [1]"),
    [*WITH_SCORES, BEYOND],
    SOFT,
)
