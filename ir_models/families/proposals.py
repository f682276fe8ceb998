"""Proposals: anchors about the cells of a feature map that deltas move; the best are chosen by their scores.

Ordinary boxes have whole coordinates (of 128ths where they are normalized), so that areas are exact, and thresholds
that no quotient of small areas is near to: honest rounding changes neither which boxes overlap enough nor which are
large enough. In 16-bit types all boxes have one size and few shifts, and no quotient is within 0.04 of a threshold.
Scores differ. What happens at thresholds and with equal scores has cases of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import *
from ir_models.families.boxes import distinct_scores

T = types("T", "any supported floating-point type")

A_QUARTER, A_HALF, TWO_THIRDS, ABOVE_ALL = 0.2803, 0.5303, 0.6903, 1.5
STRIDE = 16
# Sides of the anchors of a cell, (width, height) in turn.
_SIDES = ((16, 16), (8, 16), (16, 8), (32, 16), (8, 8))


def _is_short(layer: Layer) -> bool:
    return bool(layer.scores.element_type.bits == 16)


def _unit(layer: Layer) -> float:
    # A least size of pixels goes with coordinates of pixels, whatever the flag says.
    return 1 / 128 if getattr(layer, "normalized", False) and layer.min_size < 1 else 1.0


def _map(layer: Layer) -> tuple[int, int, int]:
    count, height, width = layer.scores.shape[-3:]
    return height, width, count


def anchors(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Anchors about the center of each cell, with the last pixel in them, or with the edge where it is normalized."""
    height, width, count = _map(layer)
    y, x, number = np.indices((height, width, count))
    sides = np.array(_SIDES[:1] if _is_short(layer) else _SIDES)
    side = sides[number % len(sides)]
    center = np.stack([x, y], axis=-1) * STRIDE + (24 if _is_short(layer) else 8)
    last = 0 if getattr(layer, "normalized", False) else 1
    found: np.ndarray = np.concatenate([center - side // 2, center + side // 2 - last], axis=-1)
    return found * _unit(layer)


def deltas(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Shifts by whole pixels, up to 3/8 of a side; sides are kept, doubled or halved."""
    height, width, count = _map(layer)
    shape = (*layer.scores.shape[:-3], count, 4, height, width)
    found = np.zeros(shape)
    found[..., :2, :, :] = state.randint(-3, 4, found[..., :2, :, :].shape) / 8
    if _is_short(layer):
        found[..., 1, :, :] = 0
    else:
        sides = state.choice([0, 0, 0, np.log(2), -np.log(2)], found[..., 2:, :, :].shape)
        found[..., 2:, :, :] = sides
    return found


def im_info(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Images of different sizes that cut some boxes off, but in 16-bit types. Their scale is 1."""
    height, width, _ = _map(layer)
    found = np.ones(layer.im_info.shape)
    image = np.indices(found.shape[:-1]).sum(axis=0)
    more = 32 if _is_short(layer) else -1 - image % 3
    found[..., 0] = (STRIDE * height + more) * _unit(layer)
    found[..., 1] = (STRIDE * width + more) * _unit(layer)
    return found


def listed(numbers: Any) -> str:
    """Numbers as the notation has them."""
    return str(np.array(numbers, float).tolist()).replace(" ", "")


def stated(
    boxes: Sequence[Sequence[float]],
    scores: Sequence[float],
    moves: Sequence[Sequence[float]] = (),
    image: Sequence[float] = (64, 64, 1),
    *,
    single: bool = False,
) -> str:
    """A layer of one image and a map of one row, whose cells have one anchor each; ``moves`` are the deltas."""
    by_number = np.array(moves or np.zeros((len(boxes), 4))).T[:, None, :]
    parts = [
        np.array([image]),
        np.array(boxes, float)[None, :, None, :],
        by_number[None],
        np.array(scores, float)[None, None, None, :],
    ]
    if single:
        parts = [parts[0][0], parts[1].reshape(-1, 4), parts[2][0], parts[3][0]]
    names = ("im_info", "anchors", "deltas" if single else "boxesdeltas", "scores")
    return "; ".join(f"{name}=f32:{listed(part)}" for name, part in zip(names, parts, strict=True))


# Boxes of sides 8 x 16 and 16 x 8 that share a quarter of each; one in the first; one that touches it; one apart.
_UNEQUAL = ([0, 0, 8, 16], [0, 0, 16, 8], [2, 4, 6, 12], [8, 8, 16, 24], [40, 40, 50, 50])
_FALLING = (0.875, 0.75, 0.625, 0.5, 0.25)
_APART = [[0, 0, 8, 8], [16, 0, 24, 8], [32, 0, 40, 8], [0, 16, 8, 24]]


# The boxes, scores and deltas of variants.
_HALVES = ([[0, 0, 8, 8], [0, 0, 8, 4], [20, 20, 30, 30]], [0.75, 0.5, 0.25])
_AT_LIMIT = (
    [[0, 0, 16, 16], [20, 0, 35, 20], [40, 0, 60, 15], [0, 20, 17, 37], [20, 30, 30, 40]],
    _FALLING,
)
_SMALL_FIRST = ([[0, 0, 4, 40], [10, 0, 30, 20], [40, 0, 44, 40], [0, 45, 30, 60]], _FALLING[:4])
_OUTSIDE = (
    [[-8, -8, 8, 8], [50, 50, 80, 90], [70, 5, 90, 20], [-30, 10, -10, 20], [10, -9, 20, 75]],
    _FALLING,
)
_MOVED = (
    [[4, 8, 12, 24], [20, 20, 36, 28], [40, 40, 48, 48]],
    [0.75, 0.5, 0.25],
    [[0.5, -0.25, 0.25, -0.5], [-0.125, 0.5, 0.75, 0.5], [1.5, -2, -1, 0.125]],
)
_GROWN = (
    [[100, 200, 116, 208], [3000, 1000, 3008, 1016]],
    [0.75, 0.5],
    [[0, 0, 4, 5], [0, 0, 4.5, 4.25]],
    (4000, 5000, 1),
)
_SIGNS = (_APART, [-0.5, 0.25, 0.0, -0.125])
_CLOSE = ([[0, 0, 8, 8], [0, 0, 8, 7], [0, 0, 8, 9]], [0.5, 0.5000001, 0.5000002])
_EQUAL = (_APART, [0.5, 0.75, 0.5, 0.5])
_ALIKE = ([[0, 0, 8, 8], [0, 0, 8, 6], [0, 4, 8, 12], [30, 0, 40, 8]], [0.5] * 4)


def _variants(single: bool) -> str:
    """Variants of both pages."""

    def given(*arguments: Any, **options: Any) -> str:
        return stated(*arguments, **options, single=single)

    own = "min_size=0.0; pre_nms_count=10; post_nms_count=6"
    most = "min_size=0.0; pre_nms_count=3|10; post_nms_count=2|4"
    return f"""
    counts: before and after the suppression, fewer and more than there are
        pre_nms_count=1|5|1000; post_nms_count=1|3|1000
    no-counts{" (may be empty)" if single else ""}: the ranges of values have 0
        pre_nms_count=0|20; post_nms_count=0
    no-candidates{" (may be constant)" if single else ""}: none is taken
        pre_nms_count=0
    min-size: boxes with a smaller side are removed
        min_size=0.0|12.5
    none-left{" (may be constant)" if single else ""}: all boxes are too small
        min_size=1000.0
    size-at-limit: those of exactly this size are not
        {given(*_AT_LIMIT)}; min_size=16.0|17.0; pre_nms_count=10; post_nms_count=6; nms_threshold={A_HALF}
    small-ones-first: whether boxes are removed before or after the best are taken
        {given(*_SMALL_FIRST)}; min_size=10.0; pre_nms_count=1|2|3; post_nms_count=3; nms_threshold={A_HALF}
    threshold: boxes that overlap by more are out
        nms_threshold={A_QUARTER}|{TWO_THIRDS}|{ABOVE_ALL}
    at-threshold: the page does not say what becomes of a box that overlaps by just this much
        {given(*_HALVES)}; {own}; nms_threshold=0.5|0.4375|0.5625
    areas: what is shared, of both areas together
        {given(_UNEQUAL, _FALLING)}; {own}; nms_threshold=0.0|0.03|0.125|0.22|0.29|0.36|0.45
    clip: boxes partly and wholly outside the image
        {given(*_OUTSIDE)}; {own}; nms_threshold={A_HALF}
    deltas: centers move by parts of the sides, sides are multiplied
        {given(*_MOVED)}; {own}; nms_threshold={A_HALF}
    large-deltas: nothing limits them but the image
        {given(*_GROWN)}; {own}; nms_threshold={A_HALF}
    signs: scores may be negative
        {given(*_SIGNS)}; {own}; nms_threshold={A_HALF}
    close-scores: the better score wins, by however little
        {given(*_CLOSE)}; {own}; nms_threshold={A_HALF}
    equal-scores: the page leaves their order open
        {given(*_EQUAL)}; {most}; nms_threshold={A_HALF}
        {given(*_ALIKE)}; {most}; nms_threshold={A_HALF}
    """


_READINGS = [
    Reading(
        "'Transforms anchors and deltas into proposal bboxes': the formula",
        "The center moves by (dx * width, dy * height); the sides are width * exp(log(dw)) and height * exp(log(dh)).",
        "The deltas are called '[dx, dy, log(dw), log(dh)]', and this is what box regression means in the field.",
        "silence",
        "A limit to log(dw) and log(dh).",
    ),
    Reading(
        "'clips proposal bboxes to an image'",
        "Coordinates from 0 to width and height, or to those of the last pixels where sides include these.",
        "The page does not give the last coordinate.",
        "silence",
    ),
    Reading(
        "'[image_height, image_width, scale_height_and_width]': what the scale is for",
        "min_size is multiplied by it or not: the reference admits both.",
        "No step mentions it; a minimum in pixels may be that of the original image.",
        "silence",
    ),
    Reading(
        "the order of deltas in 'number_of_anchors * 4'",
        "The four of one anchor stand together.",
        "'4 element tuples'.",
        "silence",
    ),
    Reading(
        "boxes that overlap by just nms_threshold, or have no area",
        "The first remain or are dropped, both are right; the others overlap by 0.",
        "The page names the threshold alone.",
        "silence",
    ),
    Reading(
        "pairs with equal scores",
        "Any order, also where not all of them are taken.",
        "'order of pairs with equal scores is undefined'.",
        "silence",
    ),
    Reading(
        "anchors whose corners are in the other order",
        "They are not tested.",
        "'[xmin, ymin, xmax, ymax]'.",
        "silence",
    ),
]


def proposals(
    name: str,
    opset: str,
    inputs: Mapping[str, str],
    outputs: Sequence[Output],
    examples: Sequence[Example],
    *,
    single: bool,
    attributes: Sequence[Attribute] = (),
    rules: Sequence[Rule] = (),
    more_variants: str = "",
    readings: Sequence[Reading] = (),
) -> Operation:
    """``inputs``: the shapes of im_info, anchors, deltas and scores by the page's names; ``single``: one image."""
    draws: tuple[Callable[..., Any], ...] = (im_info, anchors, deltas, distinct_scores)
    return Operation(
        name,
        opset,
        # More images would be as many computations of a few boxes.
        grows=None if single else Growth("anchors", 0),
        inputs=[
            Input(each, T, shape=shape, values=values)
            for (each, shape), values in zip(inputs.items(), draws, strict=True)
        ],
        outputs=outputs,
        attributes=[
            Attribute("min_size", float, required=True, least=0, plain=6.5),
            Attribute("nms_threshold", float, required=True, least=0, plain=A_HALF),
            Attribute("pre_nms_count", int, required=True, least=0, plain=20),
            Attribute("post_nms_count", int, required=True, least=0, plain=5),
            *attributes,
        ],
        sizes={"num_batches": 2, "height": 3, "width": 5, "number_of_anchors": 6, "numbers": 3},
        examples=examples,
        rules=rules,
        variants=variants(_variants(single) + more_variants),
        readings=[*_READINGS, *readings],
    )


def drawn(draw: Draw) -> Mapping[str, Any]:
    """Sizes of a map, and the attributes of both pages."""
    return {
        "min_size": draw.choice([0.0, 6.5, 12.5]),
        "nms_threshold": draw.choice([A_QUARTER, A_HALF, TWO_THIRDS]),
        "pre_nms_count": draw.integer(1, 60),
        "post_nms_count": draw.integer(1, 30),
    }
