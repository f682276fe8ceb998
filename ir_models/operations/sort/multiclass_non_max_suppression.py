"""MulticlassNonMaxSuppression: the best of boxes that overlap, of many classes (pages -8 and -9)."""

from ir_models.declaration import *
from ir_models.families.detections import *

IOU_THRESHOLD = Attribute("iou_threshold", float, default=0.0, plain=A_HALF)
ETA = Attribute("nms_eta", float, default=1.0, plain=0.875)
ATTRIBUTES = [
    SORT, ACROSS, OUTPUT_TYPE, IOU_THRESHOLD, SCORE_THRESHOLD, NMS_TOP_K, KEEP_TOP_K, BACKGROUND, NORMALIZED, ETA,
]  # fmt: skip
T_IND = types("T_IND", "int64 or int32")

HALVES_OF_F64 = HALVES.replace("f32", "f64")
NEARLY_HALF = "boxes=f32:[[[0,0,1,1],[0,0,1,0.46875],[2,2,3,3]]]; scores=f32:[[[0.75,0.5,0.25]]]"
LATER = "boxes=f32:[[[0,0,1,1],[2,2,3,3],[0,0,1,0.5625]]]; scores=f32:[[[0.75,0.5,0.25]]]"
ALL = "nms_eta=1.0; keep_top_k=-1; nms_top_k=-1; background_class=-1"
SUPPRESSION = f"""
    iou-threshold: boxes beyond it are out
        iou_threshold={A_QUARTER}|{THREE_QUARTERS}|{ABOVE_ALL}
    iou-at-threshold: a box is out beyond the threshold
        {HALVES}; scores=f32:[[[0.75,0.5,0.25]]]; iou_threshold=0.5|0.4375|0.5625; {ALL}
    areas: the union is both areas less what is shared; boxes that touch share nothing
        {UNEQUAL}; iou_threshold=0.0|0.0625|0.15625|0.2625|0.3125|0.375; {ALL}
    score-at-threshold: a score may be the threshold
        {HALVES}; scores=f32:[[[0.75,0.5,0.25]]]; iou_threshold=0.75; score_threshold=0.5|0.25; {ALL}
    suppressed-at-score-0: a suppressed box has the score 0, which is not below this threshold
        score_threshold=0.0; nms_eta=1.0; keep_top_k=-1|7
    eta: the threshold falls after each selected box, while it is above 0.5
        iou_threshold={THREE_QUARTERS}; nms_eta=0.9|0.75; background_class=-1
        iou_threshold={A_QUARTER}; nms_eta=0.5
    eta-of-halves: it falls before boxes are compared with the selected one, which is once
        {HALVES}; scores=f32:[[[0.75,0.5,0.25]]]; {ALL}; iou_threshold=0.5625; nms_eta=0.875|0.9375
        {LATER}; {ALL}; iou_threshold=0.75; nms_eta=0.8
        {NEARLY_HALF}; {ALL}; iou_threshold=0.5; nms_eta=0.875
    eta-of-zero: after the first box all that overlap are out
        iou_threshold={THREE_QUARTERS}; nms_eta=0.0; background_class=-1
    at-most-none: at most 0 boxes of each class, or of each batch element, are none
        nms_top_k=0|5; keep_top_k=0; background_class=-1
        nms_top_k=0; keep_top_k=-1; background_class=-1
    close-scores: the better score wins, by however little
        {HALVES}; scores=f32:[[[0.5,0.5000001,0.5000002]]]; iou_threshold=0.4375; {ALL}
    scores-of-f64: of f64 too
        {HALVES_OF_F64}; scores=f64:[[[0.5,0.5000000000009,0.5000000000018]]]; iou_threshold=0.4375; {ALL}
"""
ETA_RULE = rule(
    "nms_eta is from 0 to 1", lambda layer: 0 <= layer.nms_eta <= 1, "nms_eta=-0.125|1.125"
)
ZERO = Reading(
    "step 8: a suppressed box stays in the list with the score 0",
    "It is selected later where its score 0 is not below score_threshold, or is dropped: both are right.",
    "By the steps it stays; a box that was suppressed is none to select.",
    "contradiction",
)


def suppressed(draw):
    return {
        **drawn(draw),
        "iou_threshold": draw.choice([A_QUARTER, A_HALF, THREE_QUARTERS]),
        "nms_eta": draw.choice([1.0, None, 0.9]),
    }


MulticlassNonMaxSuppression8 = detections(
    "MulticlassNonMaxSuppression-8",
    "opset8",
    "MulticlassNms",
    ATTRIBUTES,
    examples(
        "boxes=[3,100,4]; scores=[3,5,100]; sort_result=score; output_type=i64 -> [-1,6], [-1,1], [3]",
        ports=[0, 1, 5, 6, 7],
    ),
    SUPPRESSION,
    [ZERO],
    rules=[ETA_RULE],
)
MulticlassNonMaxSuppression8.random(suppressed)

OTHERS = (
    "sort_result=score; output_type=i64; sort_result_across_batch=false; iou_threshold=0.2; score_threshold=0.5; "
    "nms_top_k=-1; keep_top_k=-1; background_class=-1; normalized=false; nms_eta=0.0"
)


def has_own_boxes(layer):
    """Whether each class has its own boxes: the format of three inputs."""
    return layer.scores.rank == 2


MulticlassNonMaxSuppression9 = detections(
    "MulticlassNonMaxSuppression-9",
    "opset9",
    "MulticlassNms",
    ATTRIBUTES,
    [
        *examples(
            f"boxes=[3,100,4]; scores=[3,5,100]; {OTHERS} -> [-1,6], [-1,1], [3]",
            ports=[0, 1, 5, 6, 7],
        ),
        *examples(
            f"""
            boxes=[3,100,4]; scores=[3,100]; roisnum=10,10,10,10,10,10,10,10,10,10; {OTHERS} -> [-1,6], [-1,1], [3]
            erratum: selected_num has the shape [num_batches], which is that of roisnum -> [-1,6], [-1,1], [10]
            """,
            ports=[0, 1, 2, 5, 6, 7],
        ),
    ],
    SUPPRESSION
    + """
    own-boxes: each class has its own boxes, and each image so many of them
        boxes=[3,12,4]; scores=[3,12]; roisnum=5,7|3,0,9|12|0,12|1,1,10; background_class=-1|1
        boxes=[3,12,4]; scores=[3,12]; roisnum=i32:5,7; sort_result=classid|none; sort_result_across_batch=false
    """,
    [
        ZERO,
        Reading(
            "selected_indices 'in the flattened boxes, which are absolute values cross batches', in the range "
            "'[0, num_batches * num_boxes - 1]', where each class has its own boxes",
            "class * num_boxes + box, of the boxes of all images.",
            "The flattened input, of shape [num_classes, num_boxes, 4]; the range is of the other format.",
            "contradiction",
        ),
        Reading(
            "the numbers in roisnum of the example",
            "Ten images of ten boxes.",
            "Their sum is num_boxes.",
            "silence",
        ),
    ],
    inputs=[
        Input("boxes", T, shape="num_batches, num_boxes, 4", values=grid_boxes),
        # Of boxes of each class the first dimension of both is that of classes.
        Input(
            "scores",
            T,
            shape="num_batches, num_classes, num_boxes or num_batches, num_boxes",
            values=off_half,
        ),
        Index("roisnum", T_IND, shape="num_images", optional=True),
    ],
    rules=[
        ETA_RULE,
        rule(
            "roisnum is given where scores have rank 2, and only there",
            lambda layer: has_own_boxes(layer) == (layer.roisnum is not None),
            ["roisnum=3,4", "boxes=[3,12,4]; scores=[3,12]"],
        ),
        rule(
            "roisnum holds numbers of boxes, which are not negative",
            lambda layer: layer.roisnum is None or min(layer.roisnum.value, default=0) >= 0,
            "boxes=[3,12,4]; scores=[3,12]; roisnum=-1,13",
        ),
        rule(
            "the sum of roisnum is num_boxes",
            lambda layer: layer.roisnum is None or sum(layer.roisnum.value) == layer.boxes.shape[1],
            ["boxes=[3,12,4]; scores=[3,12]; roisnum=5,6|6,7"],
        ),
    ],
)


@MulticlassNonMaxSuppression9.random
def layer(draw):
    found = suppressed(draw)
    if draw.boolean():
        return found
    _, boxes, _ = found["boxes"]
    classes, first = draw.integer(1, 4), draw.integer(0, boxes)
    given = [first, boxes - first] if draw.boolean() else [boxes]
    return {**found, "boxes": [classes, boxes, 4], "scores": [classes, boxes], "roisnum": given}


@MulticlassNonMaxSuppression9.adapt
def as_many_boxes(layer):
    """The last image has the rest of the boxes."""
    if layer.roisnum is None:
        return {}
    *counts, _ = layer.roisnum.value
    return {"roisnum": [*counts, layer.boxes.shape[1] - sum(counts)]}
