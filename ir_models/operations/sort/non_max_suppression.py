"""NonMaxSuppression: of boxes that overlap, the one with the best score (page NonMaxSuppression-9)."""

import numpy as np

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    between,
    exactly,
    example,
)
from ir_models.element_types import ELEMENT_TYPES, FLOATS, INTEGERS, f32, i64, types

T = types("T", FLOATS)
T_MAX_BOXES = types("T_MAX_BOXES", INTEGERS)
T_THRESHOLDS = types("T_THRESHOLDS", FLOATS)
NUMBER = between(0, 1)

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


# Two boxes of IOU 1/2, and one apart from them.
HALVES = f32.tensor([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.5], [2.0, 2.0, 3.0, 3.0]]])

NonMaxSuppression = Operation(
    "NonMaxSuppression-9",
    opset="opset9",
    inputs=[
        Input("boxes", T, exactly(3), values=grid_boxes),
        Input("scores", T, exactly(3), values=distinct_scores),
        Index("max_output_boxes_per_class", T_MAX_BOXES, NUMBER, optional=True),
        Index("iou_threshold", T_THRESHOLDS, NUMBER, optional=True),
        Index("score_threshold", T_THRESHOLDS, NUMBER, optional=True),
        Index("soft_nms_sigma", T_THRESHOLDS, NUMBER, optional=True),
    ],
    outputs=[
        Output("selected_indices", output_type),
        Output("selected_scores", T_THRESHOLDS),
        Output("valid_outputs", output_type),
    ],
    attributes=[
        Attribute("box_encoding", ("corner", "center"), default="corner"),
        Attribute("sort_result_descending", bool, default=True),
        Attribute("output_type", ("i64", "i32"), default="i64"),
    ],
    examples=[
        example(
            boxes=f32[3, 100, 4],
            scores=f32[3, 5, 100],
            max_output_boxes_per_class=10,
            # The page leaves the other values open. With these nothing is suppressed, and so as many boxes are
            # selected as its outputs have room for.
            iou_threshold=ABOVE_ALL,
            score_threshold=0.0,
            soft_nms_sigma=0.0,
            box_encoding="corner",
            sort_result_descending=True,
            output_type="i64",
            output=[[150, 3], [150, 3], [1]],
            ports=range(9),
        )
    ],
    variants={
        "left-out-from-the-end": [dict.fromkeys(OPTIONAL[first:]) for first in range(4)],
        "max-boxes": [{"max_output_boxes_per_class": most} for most in (1, 2, 7, 100)],
        "max-boxes-empty": [{"max_output_boxes_per_class": 0}],
        "iou-threshold": [
            {"iou_threshold": threshold}
            for threshold in (1 / 128, A_QUARTER, THREE_QUARTERS, ABOVE_ALL)
        ],
        "iou-at-threshold": [
            {
                "boxes": HALVES,
                "scores": f32.tensor([[[0.75, 0.5, 0.25]]]),
                "iou_threshold": threshold,
                "score_threshold": 0.125,
            }
            for threshold in (0.5, 0.4375, 0.5625)
        ]
        + [
            # Boxes that do not touch have an IOU of 0, those of the same corners one of 1.
            {
                "boxes": f32.tensor([[[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]]]),
                "scores": f32.tensor([[[0.75, 0.5, 0.25]]]),
                "iou_threshold": threshold,
            }
            for threshold in (0.0, 1.0)
        ],
        "score-threshold": [{"score_threshold": threshold} for threshold in (0.5, 0.875)],
        "score-at-threshold": [
            {
                "boxes": HALVES,
                "scores": f32.tensor([[[0.75, 0.5, 0.25]]]),
                "iou_threshold": 0.75,
                "score_threshold": threshold,
            }
            for threshold in (0.5, 0.25)
        ],
        "score-threshold-empty": [{"score_threshold": 2.0}],
        "soft-nms": [
            {"soft_nms_sigma": sigma, "iou_threshold": ABOVE_ALL, "score_threshold": threshold}
            for sigma, threshold in ((0.5, 0.125), (0.0625, 0.125), (2.0, 0.5), (0.5, 0.0))
        ],
        # The function of Soft-NMS has no threshold: boxes lose score, however much they overlap.
        "soft-nms-beyond-threshold": [
            {"soft_nms_sigma": 0.5, "iou_threshold": A_QUARTER},
            {"soft_nms_sigma": 2.0, "iou_threshold": 1 / 128},
        ],
        "scalar-or-1d": [
            {
                "max_output_boxes_per_class": [3],
                "iou_threshold": [A_HALF],
                "score_threshold": [0.125],
                "soft_nms_sigma": [0.0],
            },
            {"iou_threshold": [A_HALF]},
        ],
        "equal-scores": [
            {
                "boxes": f32.tensor(
                    [[[0, 0, 1, 1], [0, 0, 1, 0.75], [0, 0.25, 1, 1], [2, 2, 3, 3], [4, 0, 5, 1]]]
                ),
                "scores": f32.tensor([[[0.5, 0.5, 0.75, 0.5, 0.75], [0.5, 0.5, 0.5, 0.5, 0.5]]]),
                "max_output_boxes_per_class": most,
                "iou_threshold": A_HALF,
                "score_threshold": 0.25,
                "sort_result_descending": descending,
            }
            for most in (3, 5)
            for descending in (False, True)
        ],
        "suppressed-at-score-0": [
            # By the page's algorithm a suppressed box has the score 0, which is not below this threshold.
            {"score_threshold": 0.0, "iou_threshold": A_QUARTER, "max_output_boxes_per_class": most}
            for most in (2, 7)
        ],
        "not-sorted": [{"sort_result_descending": False, "max_output_boxes_per_class": 2}],
    },
)


@NonMaxSuppression.plain
def plain():
    """Several boxes of each class are selected, suppressed, and below the score."""
    return {
        "boxes": [2, 7, 4],
        "scores": [2, 3, 7],
        "max_output_boxes_per_class": 5,
        "iou_threshold": A_HALF,
        "score_threshold": 0.125,
        "soft_nms_sigma": 0.0,
        "box_encoding": "corner",
        "sort_result_descending": True,
        "output_type": "i64",
    }


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


@NonMaxSuppression.rule(
    "boxes have 4 coordinates", broken=[{"boxes": [2, 7, 5]}, {"boxes": [2, 7, 3]}]
)
def four_coordinates(layer):
    return layer.boxes.shape[2] == 4


@NonMaxSuppression.rule(
    "boxes and scores have one num_batches", broken=[{"boxes": [3, 7, 4]}, {"scores": [1, 3, 7]}]
)
def one_num_batches(layer):
    return layer.boxes.shape[0] == layer.scores.shape[0]


@NonMaxSuppression.rule(
    "boxes and scores have one num_boxes", broken=[{"boxes": [2, 6, 4]}, {"scores": [2, 3, 1]}]
)
def one_num_boxes(layer):
    return layer.boxes.shape[1] == layer.scores.shape[2]


@NonMaxSuppression.rule(
    "max_output_boxes_per_class, thresholds and sigma are one number each",
    broken=[
        {"max_output_boxes_per_class": [5, 5]},
        {"iou_threshold": [0.5, 0.5]},
        {"score_threshold": [0.125, 0.125]},
        {"soft_nms_sigma": [0.0, 0.0]},
    ],
)
def one_number_each(layer):
    given = (layer.inputs[name] for name in OPTIONAL)
    return all(tensor is None or tensor.size == 1 for tensor in given)


@NonMaxSuppression.rule("an input is left out only with those after it: ports are counted")
def left_out_from_the_end(layer):
    present = [layer.inputs[name] is not None for name in OPTIONAL]
    return present == sorted(present, reverse=True)
