"""DetectionOutput: boxes and scores of a network, decoded, and the best of those that overlap (pages -1 and -8).

Boxes and their margins are those of ``families.detected``, as parts of the image: most answers are distinct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
from ir_models.vocabulary.element_types import Tensor

CENTER, CORNER = (f"caffe.PriorBoxParameter.{each}" for each in ("CENTER_SIZE", "CORNER"))
# Powers of two: a quotient by them has no error.
_VARIANCES = np.array([0.125, 0.25, 0.5, 1.0])


# --- sizes, by the page's names -----------------------------------------------------------------------------------


def last(tensor: Tensor | None) -> int:
    """The last dimension, 1 where there is none."""
    return 1 if tensor is None else (*tensor.shape, 1)[tensor.rank - 1]


def width_of(layer: Layer) -> int:
    """prior_box_size."""
    return 4 if layer.normalized else 5


def count_of(layer: Layer) -> int:
    """num_prior_boxes."""
    return last(layer.proposals) // width_of(layer)


def classes_of(layer: Layer) -> int:
    """num_classes."""
    if "num_classes" in layer.attributes:
        return int(layer.num_classes)
    return max(last(layer.class_predictions) // max(count_of(layer), 1), 1)


def rows_of(layer: Layer) -> int:
    """The second dimension of proposals."""
    return 1 if layer.variance_encoded_in_target else 2


def places_of(layer: Layer) -> int:
    """num_loc_classes."""
    return 1 if layer.share_location else classes_of(layer)


def logits_shape(layer: Layer) -> str:
    """The shape of box_logits and of additional_box_predictions."""
    return f"N, {4 * places_of(layer)}*num_prior_boxes"


def scores_shape(layer: Layer) -> str:
    """The shape of class_predictions."""
    return f"N, {classes_of(layer)}*num_prior_boxes"


def proposals_shape(layer: Layer) -> str:
    """The shape of proposals."""
    return f"priors_batch_size, {rows_of(layer)}, {width_of(layer)}*num_prior_boxes"


def _shapes(
    batches: int,
    count: int,
    classes: int,
    given: Mapping[str, Any],
    own_priors: bool,
    more: bool,
) -> dict[str, Any]:
    """The shapes of all inputs for attributes by name: ``own_priors`` for each image, ``more``: five inputs."""
    width = 4 if given.get("normalized") else 5
    rows = 1 if given.get("variance_encoded_in_target") else 2
    places = classes if given.get("share_location", True) is False else 1
    found = {
        "box_logits": [batches, count * places * 4],
        "class_predictions": [batches, count * classes],
        "proposals": [batches if own_priors else 1, rows, count * width],
    }
    if more:
        found["additional_class_predictions"] = [batches, count * 2]
        found["additional_box_predictions"] = found["box_logits"]
    return found


def shapes_of_one_size(layer: Layer) -> dict[str, Any]:
    """The shapes that most inputs of a layer fit, where some are wrong. Raises ValueError: for none."""
    _, coordinates = layer.box_logits.shape
    _, predictions = layer.class_predictions.shape
    *_, numbers = layer.proposals.shape
    for width in (4, 5):
        count = numbers // width
        if numbers % width or predictions % count:
            continue
        classes = predictions // count
        if coordinates in (4 * count, 4 * count * classes):
            names = ("normalized", "variance_encoded_in_target", "share_location")
            return _shapes(
                layer.box_logits.shape[0],
                count,
                classes,
                {name: getattr(layer, name) for name in names},
                layer.proposals.shape[0] > 1,
                layer.additional_box_predictions is not None,
            )
    raise ValueError("no sizes")


def drawn(draw: Draw, has_classes: bool) -> dict[str, Any]:
    """Any valid layer; ``has_classes``: with num_classes."""
    batches, count, classes = draw.integer(1, 3), draw.integer(1, 13), draw.integer(1, 4)
    given = {
        "top_k": draw.choice([-1, None, draw.integer(1, 14)]),
        "variance_encoded_in_target": draw.choice([True, False, None]),
        "keep_top_k": draw.choice([[-1], [draw.integer(1, 30)]]),
        "code_type": draw.choice([CENTER, CORNER, None]),
        "share_location": draw.choice([True, False, None]),
        "nms_threshold": draw.choice([0.25, 0.5, 0.75]),
        "confidence_threshold": draw.choice([0.0626, 0.2501, None]),
        "clip_after_nms": draw.choice([True, False, None]),
        "clip_before_nms": draw.choice([True, False, None]),
        "background_label_id": draw.choice([-1, None, draw.integer(0, 4)]),
        "decrease_label_id": draw.choice([False, None]),
        "normalized": draw.choice([True, False, None]),
        "input_height": draw.choice([20, 64, None]),
        "input_width": draw.choice([48, 96, None]),
        "objectness_score": draw.choice([0.4, 0.7, None]),
    }
    if draw.integer(0, 5) == 0:
        given |= {"decrease_label_id": True, "background_label_id": 0, "top_k": None}
    own, more = draw.boolean(), draw.boolean()
    number = {"num_classes": classes} if has_classes else {}
    return {**_shapes(batches, count, classes, given, own, more), **number, **given}


# --- data ---------------------------------------------------------------------------------------------------------


def _boxes(layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """The priors and the boxes that additional predictions refine them to, as parts of the image: [P, 4] each."""
    count = count_of(layer)
    most = STEPS * cells_for(count)
    # Refined ones keep away from the edges of the image, whatever is rounded.
    return priors(count) / most, 0.125 + 0.75 * priors(count, 1) / most


def _variances(layer: Layer) -> np.ndarray:
    """[P, 4]; the same number everywhere where a row holds five numbers a box, since the page names four."""
    if layer.variance_encoded_in_target:
        return np.ones(4)
    turned = [np.roll(_VARIANCES, box) for box in range(count_of(layer))]
    return np.reshape(turned, (-1, 4)) if layer.normalized else np.full(4, 0.25)


def _offsets(layer: Layer, boxes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The numbers that decode ``boxes`` to those ``wanted`` [N * num_loc_classes or 1, P, 4], as box_logits."""
    found = to_resize(boxes, wanted) if layer.code_type == CENTER else wanted - boxes
    sizes = (layer.box_logits.shape[0], places_of(layer), count_of(layer), 4)
    groups = np.broadcast_to(found / _variances(layer), (sizes[0] * sizes[1], *sizes[2:]))
    numbers: np.ndarray = groups.reshape(sizes).swapaxes(1, 2)
    return numbers


def logits(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """box_logits, which decode to boxes with margins."""
    count = count_of(layer)
    wanted = targets(
        layer.box_logits.shape[0] * places_of(layer),
        count,
        layer.nms_threshold,
        state,
        beyond=4 if cells_for(count) == 1 else 0,
        clips=layer.clip_before_nms,
    )
    own, refined = _boxes(layer)
    start = own if layer.additional_box_predictions is None else refined
    return _offsets(layer, start, wanted / (STEPS * cells_for(count)))


def more_logits(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """additional_box_predictions."""
    return _offsets(layer, *_boxes(layer))


def proposals(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """The priors and their variances; of five numbers the first one says nothing."""
    found, _ = _boxes(layer)
    pixels = np.array([layer.input_width, layer.input_height] * 2)
    rows = [found if layer.normalized else found * pixels]
    if not layer.variance_encoded_in_target:
        rows.append(np.broadcast_to(_variances(layer), found.shape))
    if not layer.normalized:
        rows = [np.insert(each, 0, 0.25, axis=1) for each in rows]
    return np.broadcast_to(np.reshape(rows, (1, len(rows), -1)), layer.proposals.shape)


def confidences(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """class_predictions, all different."""
    count = layer.class_predictions.size
    return scattered_scores(count, count if count < 1000 else 400, state)


def objects(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Scores of no object and of an object, which are quarters and eighths, for each box."""
    found = state.randint(1, 8, (layer.additional_class_predictions.size // 2, 1)) / 8
    return np.concatenate([1 - found, found], axis=1)


def by_hand(boxes: Sequence[Sequence[float]], scores: Sequence[float], others: float = 0.0) -> str:
    """Proposals that are the boxes of one image; the scores are those of class 1, ``others`` those of 0 and 2."""
    zeros = ",".join(["0"] * (4 * len(boxes)))
    numbers = ",".join(str(each) for box in boxes for each in box)
    chances = ",".join(f"{others},{score},{others}" for score in scores)
    return (
        f"variance_encoded_in_target=true; share_location=true; code_type={CORNER}; top_k=-1; clip_after_nms=false; "
        f"background_label_id=-1; box_logits=f32:[[{zeros}]]; class_predictions=f32:[[{chances}]]; "
        f"proposals=f32:[[[{numbers}]]]"
    )


T = types("T", "any supported floating-point type")

# Two boxes of IOU 1/2, and one apart from them.
THREE = [[0, 0, 0.5, 0.5], [0, 0, 0.5, 0.25], [0.75, 0.75, 1, 1]]
HALVES = by_hand(THREE, [0.75, 0.5, 0.25])
# Sides of 1/4 x 1/2, 1/2 x 1/4 and 1/8 x 1: the first two share 2 of 6, the first and the last 2 of 10; one that
# touches the first one, and one inside it.
UNEQUAL = by_hand(
    [
        [0, 0, 0.25, 0.5],
        [0, 0, 0.5, 0.25],
        [0.125, 0, 0.25, 1],
        [0.25, 0.25, 0.5, 0.5],
        [0, 0.25, 0.25, 0.5],
    ],
    [0.75, 0.625, 0.5, 0.25, 0.375],
)
ALIKE = by_hand([*THREE, [0.75, 0, 1, 0.25], [0, 0, 0.5, 0.375]], [0.5, 0.5, 0.75, 0.5, 0.75], 0.5)
INVERTED = by_hand([[0.5, 0.75, 0.25, 0.125], [0.5, 0.25, 0.5, 0.75]], [0.75, 0.5])
BEYOND = by_hand([[-0.25, 0.25, 0.75, 1.5], [-0.25, 0.5, 0.5, 0.75]], [0.75, 0.5])
FIVE = "additional_class_predictions=[3,14]; additional_box_predictions=[3,84]"
FIVE_SHARED = (
    "share_location=true; box_logits=[3,28]; additional_class_predictions=[3,14]; "
    "additional_box_predictions=[3,28]"
)
# Two boxes, the second one apart from the first whichever variances are its own.
OF_FIVE = (
    "box_logits=f32:[[0.5,0.5,0.5,0.5,0.25,0.5,0.25,0.5]]; proposals=f32:[[[0,0,0,0.25,0.25,0,0.5,0.5,0.75,0.75],"
    "[0.125,0.25,0.5,0.125,0.25,0.5,0.25,0.125,0.25,0.5]]]; class_predictions=f32:[[0,0.75,0,0,0.5,0.25]]"
)
ALL = "keep_top_k=-1; top_k=-1; nms_threshold=1.5; confidence_threshold=-"
DECREASED = "decrease_label_id=true; background_label_id=0; top_k=-1"

VARIANTS = f"""
    share-location: boxes of all classes, or of each
        share_location=true|false; code_type={CENTER}|{CORNER}; variance_encoded_in_target=true|false
    not-normalized: proposals in pixels, five numbers for a box, of which the first is none of its coordinates
        normalized=false; code_type={CENTER}|{CORNER}; variance_encoded_in_target=true|false
        normalized=false; input_height=-; input_width=-
    variances-of-five: where the variances of a box stand
        normalized=false; input_width=-; input_height=-; share_location=true; code_type={CORNER}; {OF_FIVE}
    own-priors: each image has its own proposals
        proposals=[3,2,28]; share_location=true|false
    background: boxes of that class are left out
        background_label_id=0|2|7|-1
    top-k: the best boxes of each class
        top_k=1|2|100|-1
    top-k-after: 'to be kept per batch after NMS step': a box that is suppressed is none of them
        {HALVES}; top_k=2; nms_threshold=0.25
    keep-top-k: the best boxes of each image
        keep_top_k=1|3|100
        keep_top_k=5,9
    rows: the output has rows for top_k of each class, or for all boxes
        keep_top_k=-1; top_k=2|1|100|-1
    full: as many rows as boxes, and no end
        {ALL}; background_label_id=-1; share_location=true|false
    one-prior: a single box
        box_logits=[3,12]; class_predictions=[3,3]; proposals=[1,2,4]
    none: all below the threshold: the first row ends the output
        confidence_threshold=2.0; keep_top_k=9|-1
    nms-threshold: boxes that overlap more are out
        nms_threshold=0.25|0.75|1.5
    nms-at-threshold: above the threshold, or at it as well
        {HALVES}; nms_threshold=0.5|0.4375|0.5625
    areas: the union is both areas less what is shared; boxes that touch share nothing
        {UNEQUAL}; nms_threshold=0.0625|0.1875|0.25|0.3125|0.375|0.4375|0.5625
    confidence: scores below the threshold are out
        confidence_threshold=0.501|0.876
    confidence-at-threshold: 'larger than a threshold'
        {HALVES}; nms_threshold=0.75; confidence_threshold=0.5|0.25
    all-confidences: 'If not provided, consider all boxes': also scores that are not positive
        {by_hand(THREE, [0.75, 0.0, -0.5], -1.0)}; nms_threshold=0.75; confidence_threshold=-
    zero-threshold: scores above 0
        {by_hand(THREE, [0.75, 0.0, -0.5])}; nms_threshold=0.75; confidence_threshold=0.0
    clip: before boxes are compared, behind that, or never
        clip_before_nms=false|true; clip_after_nms=false|true
        {BEYOND}; clip_before_nms=false|true; nms_threshold=0.1875|0.25
        {BEYOND}; clip_before_nms=-; clip_after_nms=-; nms_threshold=0.25
    equal-scores: the page leaves their order open
        {ALIKE}; nms_threshold=0.625; keep_top_k=2|5|-1; top_k=2|-1
    inverted: corners in another order, and a box without a width, as they are
        {INVERTED}; nms_threshold=1.5
    decreased: each box is of its best class only, and classes are counted without the background
        {DECREASED}
        {DECREASED}; share_location=true; keep_top_k=3|-1
    objects: five inputs: boxes are refined twice, and those without an object are left out
        {FIVE}; objectness_score=0.0|0.4|0.7|2.0
        {FIVE_SHARED}; objectness_score=0.4; code_type={CENTER}|{CORNER}
        {FIVE_SHARED}; objectness_score=-
        {FIVE_SHARED}; objectness_score=0.4; normalized=false
        {FIVE_SHARED}; objectness_score=0.7; {DECREASED}; confidence_threshold=0.0626|-
"""

READINGS = readings("""
    silence: 'Reference' and 'described in the article'
        The formulas of the articles, as below.
        The page has no formula of its own.
    silence: code_type
        CORNER: the numbers of a box are added to the coordinates of its proposal. CENTER_SIZE: the first two, times
            its size, are added to its center; its size is multiplied by the exponentials of the last two.
        The names; the second is the formula of the first article.
    silence: 'it is necessary to adjust the predicted offset accordingly'
        Box logits, and additional ones, are multiplied by the variances of their proposal.
        Input 3, and the page of PriorBox, where a variance belongs to each coordinate.
    silence: prior_box_size 'is equal to 4 when normalized is set to 1 or it's equal to 5 otherwise'
        Coordinates are the last four of five numbers. Variances are these as well, or stand side by side: either.
        Both rows have as many numbers, but a box has four variances.
    contradiction: top_k: 'maximum number of results to be kept per batch after NMS step', against
            'N * top_k * num_classes' rows and 'perform NMS like in Caffe'
        Of each class, after the suppression or before it: both are right.
        The shape has room for each class; in Caffe the number limits the candidates.
    silence: 'threshold to be used in the NMS stage'
        A box whose IOU with a better one of its class is above it is out; one whose IOU is equal to it may be.
        The page does not say on which side equal ones are.
    contradiction: confidence_threshold: 'If not provided, consider all boxes', against 'Default value: 0'
        Left out, boxes of any score are considered.
        The sentence says what leaving it out means.
        admits: A threshold of 0, which leaves out what is not positive.
    silence: 'clip bounding boxes'
        Coordinates from 0 to 1.
        They are normalized.
    silence: decrease_label_id: 'perform NMS like in Apache MxNet'
        A box is of its class with the best score, the background apart, and class_id is one less. Asked with the
            background 0, and without top_k.
        The name of the attribute, and what that framework does.
    silence: objectness_score: 'threshold to sort out confidence predictions'
        Boxes whose second number in the fourth input is below it are left out. Equal ones are not tested.
        The article has the scores of no object and of an object, in that order; with the default of 0 none is left out.
        admits: Boxes that stay with a score of 0.
    silence: additional box predictions
        Proposals are decoded with them, and the result with the box logits. Results beyond the image are not tested.
        The article; the page does not say whether these are clipped too.
    silence: the order of rows, and of equal scores
        Any order is right.
        The page has none.
    silence: 'The first tuple with batch_id equal to -1 means end of output'
        The rest of that row and the rows behind it have any numbers; an output full of boxes has no such row.
        The page says no more of them.
    silence: keep_top_k of 0 or below -1; top_k of 0; more than one number in keep_top_k
        The former are not tested; the first number counts.
        The shape of the output names keep_top_k[0] alone, and numbers greater than zero or -1.
    silence: 'Optional' for the inputs 4 and 5
        Both or none.
        'It can have 2 additional inputs'; 'Used only when the DetectionOutput layer has 5 inputs'.
    silence: equal classes with decrease_label_id, IOU of boxes without an area, or of corners in another order
        They are not tested.
        No formula has them.
""")

MORE = ("additional_class_predictions", "additional_box_predictions")
RULES = [
    rule(
        "all inputs but proposals are of N images",
        lambda layer: (
            len(
                {
                    each.shape[0]
                    for name, each in layer.inputs.items()
                    if each and name != "proposals"
                }
            )
            == 1
        ),
        "class_predictions=[2,21]",
    ),
    rule(
        "priors_batch_size is 1 or N",
        lambda layer: layer.proposals.shape[0] in (1, layer.box_logits.shape[0]),
        "proposals=[2,2,28]",
    ),
    rule(
        "the second dimension of proposals is 2, and 1 with variances in the target",
        lambda layer: layer.proposals.shape[1] == rows_of(layer),
        ["proposals=[1,1,28]|[1,3,28]", "variance_encoded_in_target=true"],
    ),
    rule(
        "the third dimension of proposals is num_prior_boxes * prior_box_size",
        lambda layer: last(layer.proposals) % width_of(layer) == 0,
        "proposals=[1,2,30]",
    ),
    rule(
        "the second dimension of class_predictions is num_prior_boxes * num_classes",
        lambda layer: last(layer.class_predictions) == count_of(layer) * classes_of(layer),
        "class_predictions=[3,22]",
    ),
    rule(
        "the second dimension of box_logits is num_prior_boxes * num_loc_classes * 4",
        lambda layer: last(layer.box_logits) == count_of(layer) * places_of(layer) * 4,
        ["box_logits=[3,80]", "box_logits=[3,28]"],
    ),
    rule(
        "the additional inputs are both given, or none is",
        lambda layer: len({layer.inputs[name] is None for name in MORE}) == 1,
        "additional_class_predictions=[3,14]",
    ),
    rule(
        "the second dimension of additional_class_predictions is num_prior_boxes * 2",
        lambda layer: layer.additional_class_predictions.shape[1] == 2 * count_of(layer),
        "additional_class_predictions=[3,15]; additional_box_predictions=[3,84]",
    ),
    rule(
        "the shape of additional_box_predictions is that of box_logits",
        lambda layer: layer.additional_box_predictions.shape == layer.box_logits.shape,
        "additional_class_predictions=[3,14]; additional_box_predictions=[3,28]",
    ),
]

PLAIN = (
    "box_logits=[3,84]; class_predictions=[3,21]; proposals=[1,2,28]; normalized=true; share_location=false; "
    f"background_label_id=1; top_k=6; variance_encoded_in_target=false; keep_top_k=9; code_type={CENTER}; "
    "nms_threshold=0.5; confidence_threshold=0.0626; clip_after_nms=true; clip_before_nms=false; "
    "decrease_label_id=false; input_height=20; input_width=48; objectness_score=0.4"
)
PRINTED = (
    f"box_logits=[1,5376]; class_predictions=[1,2688]; proposals=[1,2,5376]; background_label_id=1; "
    f"code_type={CENTER}; confidence_threshold=0.019999999552965164; input_height=1; input_width=1; "
    "keep_top_k=200; nms_threshold=0.44999998807907104; normalized=true; share_location=true; top_k=200; "
    "clip_after_nms=false; variance_encoded_in_target=false; clip_before_nms=false; objectness_score=0.0; "
    "decrease_label_id=false"
)


def detection_output(name, opset, has_classes):
    """The operation of a page; ``has_classes``: it has the attribute num_classes."""
    number = Attribute("num_classes", int, required=True, least=1)
    some = rule(
        "there are prior boxes",
        lambda layer: count_of(layer) > 0,
        unasked="the number of classes is then a quotient by 0",
    )
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("box_logits", T, exactly(2), shape=logits_shape, values=logits),
            Input("class_predictions", T, exactly(2), shape=scores_shape, values=confidences),
            Input("proposals", T, exactly(3), shape=proposals_shape, values=proposals),
            Input(MORE[0], T, shape="N, 2*num_prior_boxes", optional=True, values=objects),
            Input(MORE[1], T, exactly(2), shape=logits_shape, optional=True, values=more_logits),
        ],
        outputs=[Output("output", T)],
        mixes=True,
        attributes=[
            *([number] if has_classes else []),
            Attribute("background_label_id", int, default=0),
            Attribute("top_k", int, default=-1),
            Attribute("variance_encoded_in_target", bool, default=False),
            Attribute("keep_top_k", list, required=True),
            Attribute("code_type", (CENTER, CORNER), default=CORNER),
            Attribute("share_location", bool, default=True),
            Attribute("nms_threshold", float, required=True),
            Attribute("confidence_threshold", float),
            Attribute("clip_after_nms", bool, default=False),
            Attribute("clip_before_nms", bool, default=False),
            Attribute("decrease_label_id", bool, default=False),
            Attribute("normalized", bool, default=False),
            Attribute("input_height", int, default=1, least=1),
            Attribute("input_width", int, default=1, least=1),
            Attribute("objectness_score", float, default=0.0, least=0.0),
        ],
        examples=examples(
            f"{PRINTED}{'; num_classes=2' if has_classes else ''} -> [1,1,200,7]",
            ports=[0, 1, 2, 3],
        ),
        rules=RULES if has_classes else [*RULES, some],
        variants=variants(VARIANTS),
        readings=READINGS,
    )
    operation.plain(lambda: PLAIN + ("; num_classes=3" if has_classes else ""))
    operation.random(lambda draw: drawn(draw, has_classes))
    operation.adapt(shapes_of_one_size)
    return operation


DetectionOutput1 = detection_output("DetectionOutput-1", "opset1", True)
DetectionOutput8 = detection_output("DetectionOutput-8", "opset8", False)
