"""Detections: the boxes that a non-maximum suppression of many classes selects, with scores, classes and places.

MatrixNonMaxSuppression = detections("MatrixNonMaxSuppression-8", "opset8", attributes, ...)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import *
from ir_models.families.boxes import (
    WITHOUT_AREA,
    cells_of,
    corners_on_grid,
    distinct_scores,
    output_type,
)

__all__ = [
    "ABOVE_ALL",
    "ACROSS",
    "A_HALF",
    "A_QUARTER",
    "BACKGROUND",
    "HALVES",
    "KEEP_TOP_K",
    "NMS_TOP_K",
    "NORMALIZED",
    "OUTPUT_TYPE",
    "SCORE_THRESHOLD",
    "SORT",
    "THREE_QUARTERS",
    "UNEQUAL",
    "T",
    "detections",
    "drawn",
    "grid_boxes",
    "off_half",
]

T = types("T", "floating-point type")

# On a grid of 8 by 8 no IOU is as near as 0.0005 to one of these: with the pixels at both ends it is a quotient of
# numbers up to 162, in 16-bit types up to 50.
A_QUARTER, A_HALF, THREE_QUARTERS, ABOVE_ALL = 0.2516, 0.503, 0.7515, 1.5

SORT = Attribute(
    "sort_result",
    ("classid", "score", "none"),
    default="none",
    plain="score",
    ir_name="sort_result_type",
)
ACROSS = Attribute("sort_result_across_batch", bool, default=False, plain=True)
OUTPUT_TYPE = Attribute("output_type", ("i64", "i32"), default="i64", plain="i64")
SCORE_THRESHOLD = Attribute("score_threshold", float, default=0.0, plain=0.125)
NMS_TOP_K = Attribute("nms_top_k", int, default=-1, plain=5)
KEEP_TOP_K = Attribute("keep_top_k", int, default=-1, plain=7)
BACKGROUND = Attribute("background_class", int, default=-1, plain=1)
NORMALIZED = Attribute("normalized", bool, default=True, plain=True)

# The threshold of examples, which many an IOU on a coarse grid would be.
PRINTED = 0.2

# Two boxes of IOU 1/2, and one apart from them.
HALVES = "boxes=f32:[[[0.0,0.0,1.0,1.0],[0.0,0.0,1.0,0.5],[2.0,2.0,3.0,3.0]]]"
# Boxes of sides 2 x 4, 4 x 2 and 1 x 8 outside of the image: the first two share 4 of 12, the first and the last 2 of
# 14; one that touches the first; one inside it; one without an area.
UNEQUAL = (
    "boxes=f32:[[[-1,0,1,4],[-1,0,3,2],[-1,2,0,10],[20,20,21,21],[1,2,3,4],[-1,1,0,3],[5,5,5,9]]]"
    "; scores=f32:[[[0.75,0.625,0.5,0.25,0.375,0.3125,0.875]]]"
)
ALIKE = (
    "boxes=f32:[[[0,0,1,1],[0,0,1,0.75],[2,2,3,3],[4,0,5,1],[6,0,7,1]]]; scores=f32:"
    "[[[0.5,0.5,0.75,0.5,0.75],[0.5,0.5,0.5,0.25,0.5]]]; background_class=-1; score_threshold=0.125"
)

VARIANTS = f"""
    sort: by class or by score, over all batch elements or in each
        sort_result=classid|score|none; sort_result_across_batch=true|false
    score-threshold: boxes below it are out
        score_threshold=0.5|0.875
    no-scores: all below the threshold
        score_threshold=2.0
    nms-top-k: the best boxes of each class
        nms_top_k=1|2|100|-1
    keep-top-k: the best boxes of each batch element
        keep_top_k=1|4|100|-1
        keep_top_k=4|-1; nms_top_k=2|-1; background_class=-1; sort_result=classid
    background-class: the boxes of one class are skipped
        background_class=0|2|7|-1
    one-class: that of the background
        scores=[2,1,7]; background_class=0
    not-normalized: coordinates of pixels
        normalized=false; background_class=-1|2
        normalized=false; keep_top_k=-1; nms_top_k=-1
    equal-scores: the page leaves their order open
        {ALIKE}; keep_top_k=2|5|-1; nms_top_k=2|-1; sort_result=classid|score
"""

READINGS = [
    Reading(
        "the order of equal scores, of boxes of one class sorted by class, and of all where sort_result is none",
        "Any order is right; batch elements come one after the other unless sort_result_across_batch is true.",
        "The page fixes no more.",
        "silence",
    ),
    Reading(
        "'normalized: the box coordinates are normalized' or not",
        "Of boxes that are not normalized a side is the difference of its coordinates or one more: both are right.",
        "No formula has the flag; of coordinates of pixels that at the end is usually part of the box.",
        "silence",
    ),
    Reading(
        "the attribute sort_result and its value class",
        "They are written as sort_result_type and classid.",
        "The reader of IR knows these names alone; the page's type of the layer is another one as well.",
        "slip",
    ),
    Reading(
        "nms_top_k 'maximum number of boxes to be selected per class', against candidate boxes",
        "So many boxes with the best scores are candidates.",
        "The description of the algorithm says so.",
        "contradiction",
    ),
    WITHOUT_AREA,
    Reading(
        "nms_top_k and keep_top_k of 0",
        "They are not tested.",
        "'-1 meaning to keep all boxes' says nothing of a number that leaves none.",
        "silence",
    ),
    Reading(
        "boxes whose corners are in the other order",
        "They are not tested.",
        "'[xmin, ymin, xmax, ymax]'.",
        "silence",
    ),
]


def grid_boxes(layer: Layer, state: np.random.RandomState) -> np.ndarray | None:
    """Boxes with corners on a grid, of pixels where they are not normalized."""
    if layer.boxes.shape[2:] != (4,):
        return None
    if getattr(layer, "iou_threshold", None) == PRINTED:
        begin, end = corners_on_grid(layer.boxes.shape[:2], 1021, state)
        return np.concatenate([begin, end], axis=-1) / 128
    cells = cells_of(layer)
    begin, end = corners_on_grid(layer.boxes.shape[:2], cells, state)
    found: np.ndarray = np.concatenate([begin, end], axis=-1) / (cells if layer.normalized else 1)
    return found


def off_half(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Distinct scores, none of them 0.5 where that is the threshold."""
    scores = distinct_scores(layer, state)
    return scores - 2.0**-13 if layer.score_threshold == 0.5 and scores.size > 256 else scores


def detections(
    name: str,
    opset: str,
    ir_type: str,
    attributes: Sequence[Attribute],
    examples: Sequence[Example],
    more_variants: str,
    readings: Sequence[Reading],
    *,
    inputs: Sequence[Input] = (),
    rules: Sequence[Rule] = (),
) -> Operation:
    """An operation with these attributes; ``inputs`` where they are others than boxes and scores."""
    return Operation(
        name,
        opset,
        inputs=inputs
        or [
            Input("boxes", T, shape="num_batches, num_boxes, 4", values=grid_boxes),
            Input("scores", T, shape="num_batches, num_classes, num_boxes", values=off_half),
        ],
        outputs=[
            Output("selected_outputs", T),
            Output("selected_indices", output_type),
            Output("selected_num", output_type),
        ],
        attributes=attributes,
        ir_type=ir_type,
        sizes={"num_batches": 2, "num_boxes": 7, "num_classes": 3},
        examples=examples,
        rules=rules,
        violations=["scores=[2,3,1]"],
        variants=variants(VARIANTS + more_variants),
        readings=[*READINGS, *readings],
    )


def drawn(draw: Draw) -> Mapping[str, Any]:
    """A layer of any sizes, and the attributes of all these operations."""
    batches, classes, boxes = draw.integer(1, 3), draw.integer(1, 4), draw.integer(1, 16)
    return {
        "boxes": [batches, boxes, 4],
        "scores": [batches, classes, boxes],
        "sort_result": draw.choice(["classid", "score", "none", None]),
        "sort_result_across_batch": draw.choice([True, False, None]),
        "output_type": draw.choice(["i64", "i32", None]),
        "score_threshold": draw.choice([0.0626, 0.2501, 0.5001]),
        "nms_top_k": draw.choice([-1, None, draw.integer(1, 17)]),
        "keep_top_k": draw.choice([-1, None, draw.integer(1, 30)]),
        "background_class": draw.choice([-1, None, draw.integer(0, 4)]),
        "normalized": draw.choice([True, False, None]),
    }
