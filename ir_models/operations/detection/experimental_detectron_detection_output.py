"""ExperimentalDetectronDetectionOutput: regions refined for each class, and the best of those that overlap.

Deltas refine regions to boxes with margins, as in ``families.detected``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_models.declaration import *
from ir_models.families.detected import (
    STEPS,
    cells_for,
    priors,
    scattered_scores,
    targets,
    to_resize,
)
from ir_models.vocabulary.element_types import i32


def _image(layer: Layer) -> np.ndarray:
    """Height and width: the pixels of a position are whole numbers, or quarters."""
    cells = cells_for(layer.rois.shape[0])
    return np.array([64.0, 96.0] if cells == 1 else [52.0 * cells, 84.0 * cells])


def _pixels(layer: Layer, boxes: np.ndarray) -> np.ndarray:
    """Boxes in positions as boxes in pixels, the last one included."""
    height, width = _image(layer)
    scale = np.array([width, height] * 2) / (STEPS * cells_for(layer.rois.shape[0]))
    found: np.ndarray = boxes * scale - [0, 0, 1, 1]
    return found


def image_size(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Height, width and a scale that nothing depends on."""
    return np.append(_image(layer), 1.5)


def regions(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """rois."""
    return _pixels(layer, priors(layer.rois.shape[0]))


def deltas(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """deltas, which refine the regions to boxes with margins."""
    count, classes = layer.scores.shape
    # With a margin for sides of so many positions, and of whole numbers of pixels.
    found = targets(classes, count, layer.nms_threshold, state, extents=(0.0, -0.25))
    offsets = to_resize(regions(layer, state), _pixels(layer, found), extent=1.0)
    numbers: np.ndarray = offsets.swapaxes(0, 1) * layer.deltas_weights
    return numbers


def confidences(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Scores, low for class 0: whether that is the background has cases of its own."""
    count, classes = layer.scores.shape
    others = scattered_scores(count * (classes - 1), 1000, state).reshape(count, classes - 1)
    return np.concatenate([scattered_scores(count, 0, state)[:, None], others], axis=1)


def _rows(rows: Sequence[Sequence[float]]) -> str:
    return f"f32:[{','.join(f'[{_numbers(row)}]' for row in rows)}]"


def _numbers(row: Sequence[float]) -> str:
    return ",".join(map(str, row))


def by_hand(boxes: Sequence[Sequence[float]], scores: Sequence[float]) -> str:
    """Regions that are the boxes; the scores are those of class 1, those of the classes 0 and 2 are 0."""
    chances = _rows([[0.0, score, 0.0] for score in scores])
    still = _rows([[0] * 12] * len(boxes))
    return f"rois={_rows(boxes)}; deltas={still}; scores={chances}; image_size=f32:[[64,96,1]]"


def moved(deltas: Sequence[float]) -> str:
    """A box of 16 by 8 pixels, and one apart, with deltas of class 1."""
    still = [0, 0, 0, 0]
    given = _rows([[*still, *deltas, *still], [*still * 3]])
    return (
        f"rois=f32:[[32,24,47,31],[64,40,79,47]]; deltas={given}; scores=f32:[[0,0.75,0],[0,0.5,0]]; "
        "image_size=f32:[[64,96,1]]"
    )


T = types("T", "any supported floating-point type")

# Boxes of 16 by 16 and 16 by 8 pixels, of an IOU of 1/2 (of 7/15 without the last pixel), and one apart.
HALVES = by_hand([[0, 0, 15, 15], [0, 0, 15, 7], [32, 32, 47, 47]], [0.75, 0.5, 0.25])
# Of 8 x 16, 16 x 8 and 4 x 32 pixels; one that touches the first one, one inside it.
UNEQUAL = by_hand(
    [[0, 0, 7, 15], [0, 0, 15, 7], [4, 0, 7, 31], [8, 8, 15, 15], [0, 8, 7, 15]],
    [0.75, 0.625, 0.5, 0.25, 0.375],
)
ALIKE = by_hand(
    [[0, 0, 15, 15], [0, 0, 15, 7], [32, 32, 47, 47], [64, 0, 79, 7], [0, 0, 15, 11]],
    [0.5, 0.5, 0.75, 0.5, 0.75],
)
OUTSIDE = by_hand([[-16, -8, 15, 15], [80, 40, 111, 79], [-8, 48, 103, 71]], [0.75, 0.5, 0.25])
BACKGROUND = "scores=f32:[[0.75,0.5,0.25],[0.625,0.375,0.125]]; rois=[2,4]; deltas=[2,12]; score_threshold=0.0626"
WEIGHTS = "deltas_weights=8.0,4.0,2.0,16.0"

Op = Operation(
    "ExperimentalDetectronDetectionOutput-6",
    "opset6",
    inputs=[
        Input("rois", T, shape="number_of_ROIs, 4", values=regions),
        Input("deltas", T, shape="number_of_ROIs, 4*num_classes", values=deltas),
        Input("scores", T, shape="number_of_ROIs, num_classes", values=confidences),
        Input("image_size", T, shape="1, 3", values=image_size),
    ],
    outputs=[
        Output("boxes", T),
        Output("classes", lambda layer: i32),
        Output("scores_of_boxes", T),
    ],
    mixes=True,
    # Each box takes long.
    grows=Growth("rois", 0, 30_000),
    attributes=[
        Attribute("score_threshold", float, required=True, least=0.0, plain=0.0626),
        Attribute("nms_threshold", float, required=True, least=0.0, plain=0.5),
        Attribute("num_classes", int, required=True, least=0, plain=3),
        Attribute("post_nms_count", int, required=True, least=0, plain=4),
        Attribute("max_detections_per_image", int, required=True, least=0, plain=11),
        Attribute("class_agnostic_box_regression", bool, default=False, plain=True),
        Attribute("max_delta_log_wh", float, required=True, plain=4.135),
        Attribute("deltas_weights", list[float], required=True, plain=(8.0, 4.0, 2.0, 16.0)),
    ],
    sizes={"number_of_ROIs": 6},
    examples=examples(
        """
        rois=[1000,4]; deltas=[1000,324]; scores=[1000,81]; image_size=[1,3]; class_agnostic_box_regression=false;
        deltas_weights=10.0,10.0,5.0,5.0; max_delta_log_wh=4.135166645050049; max_detections_per_image=100;
        nms_threshold=0.5; num_classes=81; post_nms_count=2000; score_threshold=0.05000000074505806
            -> [100,4], [100], [100]
        erratum: a fourth output of shape [100] is printed, where the page has three outputs
        """,
        ports=[0, 1, 2, 3, 4, 5, 6],
    ),
    rules=[
        rule(
            "deltas_weights are four",
            lambda layer: len(layer.deltas_weights) == 4,
            ["deltas_weights=8.0,4.0,2.0", "deltas_weights=8.0,4.0,2.0,16.0,1.0"],
        ),
        rule(
            "deltas_weights are not negative",
            lambda layer: min(layer.deltas_weights) >= 0,
            "deltas_weights=8.0,4.0,2.0,-16.0",
        ),
        rule(
            "there is a region, and a class beside the background",
            lambda layer: layer.rois.shape[0] > 0 and layer.num_classes > 1,
            unasked="all numbers of the outputs are then undefined",
        ),
    ],
    violations=["scores=[6,4]"],
    variants=variants(f"""
        center: dx and dy are parts of the width and the height
            {moved([4, 0, 0, 0])}
            {moved([0, -2, 0, 0])}
            {moved([1, 1, 1, 1])}; deltas_weights=2.0,4.0,8.0,1.0|1.0,2.0,1.5,3.0
        log-sizes: exponentials of the last two, and no more than that of max_delta_log_wh
            {moved([0, 0, 2, 8])}; max_delta_log_wh=4.0|0.75|0.5|0.25|0.0|-0.5
            {moved([0, 0, -2, -8])}; max_delta_log_wh=4.0|-0.75
        background: its predictions are removed, or are not
            {BACKGROUND}; class_agnostic_box_regression=true|false|-
        clip: boxes partly outside the image
            {OUTSIDE}; nms_threshold=0.9375
        score-threshold: 'larger than the threshold'
            score_threshold=0.501|0.876
            {HALVES}; nms_threshold=0.75; score_threshold=0.5|0.25
        zero-threshold: scores above 0
            {HALVES}; nms_threshold=0.75; score_threshold=0.0
        nms-threshold: boxes that overlap more are out
            nms_threshold=0.25|0.75|1.5
        nms-at-threshold: above the threshold, or at it as well
            {HALVES}; nms_threshold=0.5|0.4375|0.5625
        areas: the union is both areas less what is shared
            {UNEQUAL}; nms_threshold=0.0625|0.15625|0.25|0.375|0.4375|0.5625
        post-nms-count: the best boxes of each class, after the suppression
            post_nms_count=1|2|100
        max-detections: the best of all
            max_detections_per_image=1|3|5|100
        nothing (may be empty): no detection is asked for
            max_detections_per_image=0
        equal-scores: the page leaves their order open
            {ALIKE}; nms_threshold=0.625; max_detections_per_image=1|2|11; post_nms_count=2|100
    """),
    readings=readings("""
        slip: 'x1_new', 'y0_new', 'x1_new', 'y1_new'; '[x 1, y 1, x 2, y 2]'
            The first one is x0_new; a box has the corners (x0, y0) and (x1, y1) of the formulas.
            The formulas subtract half the size for the first two and add it for the others.
        silence: 'Clips boxes to the image'
            Coordinates from 0 to the last pixel, width - 1, or to width: both are right.
            'box_w = x1 - x0 + 1.0' has the last pixel inside the box; the page does not say where an image ends.
        silence: 'non-maximum suppression class-wise with nms_threshold'
            A box whose IOU with a better one is above it is out; one whose IOU is equal to it may be. Sides may have
                the last pixel, or not.
            The page has no formula of it.
        silence: 'If class_agnostic_box_regression is true removes predictions for background classes'
            Class 0.
            The page does not say which class is the background, but that it may be deleted, or not.
            admits: No class, or class 0 removed whatever the flag is.
        silence: 'Returns max_detections_per_image detections'
            Those with the best scores, in any order.
            The page does not say which.
        ambiguity: 'filled with undefined values'
            Any numbers; the detections are the first ones.
            'for rest output tensor elements'.
        slip: outputs 'boxes indices', 'classes indices', 'scores indices'
            Boxes, classes and scores.
            The shapes, and the example.
        silence: 'T_IND: int64 or int32'
            i32.
            No attribute chooses it; the example has I32.
            admits: i64.
        silence: deltas_weights: 'a list of non-negative floating-point numbers'
            Four positive ones; 0 is not tested.
            The formulas name four, and divide by them.
    """),
)


@Op.random
def layer(draw):
    count, classes = draw.integer(1, 13), draw.integer(2, 5)
    return {
        "rois": [count, 4],
        "deltas": [count, 4 * classes],
        "scores": [count, classes],
        "image_size": [1, 3],
        "score_threshold": draw.choice([0.0626, 0.2501, 0.5001]),
        "nms_threshold": draw.choice([0.25, 0.5, 0.75]),
        "num_classes": classes,
        "post_nms_count": draw.integer(1, 14),
        "max_detections_per_image": draw.integer(1, 40),
        "class_agnostic_box_regression": draw.choice([True, False, None]),
        "max_delta_log_wh": draw.choice([4.0, 2.5]),
        "deltas_weights": draw.choice(
            [(1.0, 1.0, 1.0, 1.0), (10.0, 10.0, 5.0, 5.0), (2.0, 8.0, 4.0, 0.5)]
        ),
    }
