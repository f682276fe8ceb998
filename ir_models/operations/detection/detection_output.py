"""DetectionOutput: boxes and scores of a network, decoded, and the best of those that overlap (pages -1 and -8)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.detected import *

T = types("T", "any supported floating-point type")
CENTER, CORNER = (f"caffe.PriorBoxParameter.{each}" for each in ("CENTER_SIZE", "CORNER"))
# Powers of two: a quotient by them has no error.
VARIANCES = np.array([0.125, 0.25, 0.5, 1.0])


def width_of(layer):
    """prior_box_size."""
    return 4 if layer.normalized else 5


def last(tensor):
    """The last dimension, 1 where there is none."""
    return 1 if tensor is None else (*tensor.shape, 1)[tensor.rank - 1]


def count_of(layer):
    """num_prior_boxes."""
    return last(layer.proposals) // width_of(layer)


def classes_of(layer):
    """num_classes."""
    if "num_classes" in layer.attributes:
        return layer.num_classes
    return max(last(layer.class_predictions) // max(count_of(layer), 1), 1)


def rows_of(layer):
    """The second dimension of proposals."""
    return 1 if layer.variance_encoded_in_target else 2


def places_of(layer):
    """num_loc_classes."""
    return 1 if layer.share_location else classes_of(layer)


def logits_shape(layer):
    return f"N, {4 * places_of(layer)}*num_prior_boxes"


def image_of(layer):
    return np.array([layer.input_width, layer.input_height] * 2)


def boxes_of(layer):
    """The priors and the boxes that additional predictions refine them to, as parts of the image: [P, 4] each."""
    count = count_of(layer)
    most = STEPS * cells_for(count)
    # Refined ones keep away from the edges of the image, whatever is rounded.
    return priors(count) / most, 0.125 + 0.75 * priors(count, 1) / most


def variances_of(layer):
    """[P, 4]; the same number everywhere where a row holds five numbers a box, of which the page names four."""
    if layer.variance_encoded_in_target:
        return np.ones(4)
    turned = [np.roll(VARIANCES, box) for box in range(count_of(layer))]
    return np.reshape(turned, (-1, 4)) if layer.normalized else np.full(4, 0.25)


def offsets(layer, boxes, wanted):
    """The numbers that decode ``boxes`` to those ``wanted``: [..., P, 4]."""
    found = to_resize(boxes, wanted) if layer.code_type == CENTER else wanted - boxes
    return found / variances_of(layer)


def in_order(layer, found):
    """[N, num_loc_classes, P, 4] as a row of numbers for each image."""
    shape = (layer.box_logits.shape[0], places_of(layer), count_of(layer), 4)
    return found.reshape(shape).swapaxes(1, 2)


def logits(layer, state):
    batches, count = layer.box_logits.shape[0], count_of(layer)
    boxes = targets(
        batches * places_of(layer),
        count,
        layer.nms_threshold,
        state,
        beyond=4 if cells_for(count) == 1 else 0,
        clips=layer.clip_before_nms,
    )
    own, refined = boxes_of(layer)
    start = own if layer.additional_box_predictions is None else refined
    return in_order(layer, offsets(layer, start, boxes / (STEPS * cells_for(count))))


def more_logits(layer, state):
    own, refined = boxes_of(layer)
    shape = (layer.box_logits.shape[0], places_of(layer), count_of(layer), 4)
    return in_order(layer, np.broadcast_to(offsets(layer, own, refined), shape))


def proposals(layer, state):
    """The priors and their variances; of five numbers the first one says nothing."""
    found = boxes_of(layer)[0]
    rows = [found if layer.normalized else found * image_of(layer)]
    if not layer.variance_encoded_in_target:
        rows.append(np.broadcast_to(variances_of(layer), found.shape))
    if not layer.normalized:
        rows = [np.insert(each, 0, 0.25, axis=1) for each in rows]
    return np.broadcast_to(np.reshape(rows, (1, len(rows), -1)), layer.proposals.shape)


def confidences(layer, state):
    count = layer.class_predictions.size
    return scattered_scores(count, count if count < 1000 else 400, state)


def objects(layer, state):
    """Scores of no object and of an object, which are quarters and eighths, for each box."""
    found = state.randint(1, 8, (layer.additional_class_predictions.size // 2, 1)) / 8
    return np.concatenate([1 - found, found], axis=1)


def sizes_of(layer):
    """(num_prior_boxes, num_classes) for which most inputs of a layer have their shapes, of which some are wrong."""
    _, logits = layer.box_logits.shape
    _, predictions = layer.class_predictions.shape
    *_, numbers = layer.proposals.shape
    for width in (4, 5):
        count = numbers // width
        if numbers % width == 0 and predictions % count == 0:
            classes = predictions // count
            if logits in (4 * count, 4 * count * classes):
                return count, classes
    raise ValueError("no sizes")


def shapes(batches, count, classes, layer, own_priors=False, more=False):
    """The shapes of all inputs for attributes by name."""
    width = 4 if layer.get("normalized") else 5
    rows = 1 if layer.get("variance_encoded_in_target") else 2
    places = classes if layer.get("share_location", True) is False else 1
    found = {
        "box_logits": [batches, count * places * 4],
        "class_predictions": [batches, count * classes],
        "proposals": [batches if own_priors else 1, rows, count * width],
    }
    if more:
        found["additional_class_predictions"] = [batches, count * 2]
        found["additional_box_predictions"] = found["box_logits"]
    return found


def by_hand(boxes, scores, others=0.0):
    """Proposals that are the boxes of one image; the scores are those of class 1, ``others`` those of 0 and 2."""
    zeros = ",".join(["0"] * (4 * len(boxes)))
    numbers = ",".join(str(each) for box in boxes for each in box)
    chances = ",".join(f"{others},{score},{others}" for score in scores)
    return (
        f"variance_encoded_in_target=true; share_location=true; code_type={CORNER}; top_k=-1; clip_after_nms=false; "
        f"background_label_id=-1; box_logits=f32:[[{zeros}]]; class_predictions=f32:[[{chances}]]; "
        f"proposals=f32:[[[{numbers}]]]"
    )


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
MORE = ("additional_class_predictions", "additional_box_predictions")
# Two boxes, the second one apart from the first whichever variances are its own.
OF_FIVE = (
    "box_logits=f32:[[0.5,0.5,0.5,0.5,0.25,0.5,0.25,0.5]]; proposals=f32:[[[0,0,0,0.25,0.25,0,0.5,0.5,0.75,0.75],"
    "[0.125,0.25,0.5,0.125,0.25,0.5,0.25,0.125,0.25,0.5]]]; class_predictions=f32:[[0,0.75,0,0,0.5,0.25]]"
)
ALL = "keep_top_k=-1; top_k=-1; nms_threshold=1.5; confidence_threshold=-"

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
        keep_top_k=-1; top_k=2|100|-1
    full: as many rows as boxes, and no end
        {ALL}; background_label_id=-1; share_location=true|false
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
    equal-scores: the page leaves their order open
        {ALIKE}; nms_threshold=0.625; keep_top_k=2|5|-1; top_k=2|-1
    inverted: corners in another order, and a box without a width, as they are
        {INVERTED}; nms_threshold=1.5
    decreased: each box is of its best class only, and classes are counted without the background
        decrease_label_id=true; background_label_id=0; top_k=-1
        decrease_label_id=true; background_label_id=0; top_k=-1; share_location=true; keep_top_k=3|-1
    objects: five inputs: boxes are refined twice, and those without an object are left out
        {FIVE}; objectness_score=0.0|0.4|0.7|2.0
        {FIVE_SHARED}; objectness_score=0.4; code_type={CENTER}|{CORNER}
        {FIVE_SHARED}; objectness_score=-
        {FIVE_SHARED}; objectness_score=0.4; normalized=false
"""

READINGS = [
    Reading(
        "'Reference' and 'described in the article'",
        "The formulas of the articles, as the readings below say; the page has none of its own.",
        "Without them no output is determined.",
        "silence",
    ),
    Reading(
        "code_type",
        "CORNER: the numbers of a box are added to the coordinates of its proposal. CENTER_SIZE: the first two, times "
        "its size, to its center; its size is multiplied by the exponentials of the last two.",
        "The names; the second is the formula of the first article.",
        "silence",
    ),
    Reading(
        "'it is necessary to adjust the predicted offset accordingly'",
        "Box logits, and additional ones, are multiplied by the variances of their proposal.",
        "Inputs 3 and the page of PriorBox, where a variance belongs to each coordinate.",
        "silence",
    ),
    Reading(
        "prior_box_size 'is equal to 4 when normalized is set to 1 or it's equal to 5 otherwise'",
        "The last four of five numbers are the coordinates. The variances are the last four of five as well, or stand "
        "side by side: both are right.",
        "The shape of the input has as many numbers in both rows, but a box has four variances.",
        "silence",
    ),
    Reading(
        "top_k: 'maximum number of results to be kept per batch after NMS step', against 'N * top_k * num_classes' "
        "rows and 'perform NMS like in Caffe'",
        "Of each class, after the suppression or before it: both are right.",
        "The shape has room for each class; in Caffe the number limits the candidates.",
        "contradiction",
    ),
    Reading(
        "'threshold to be used in the NMS stage'",
        "A box whose IOU with a better one of its class is above it is out; one whose IOU is equal to it may be.",
        "That is what such a threshold is; the page does not say on which side equal ones are.",
        "silence",
    ),
    Reading(
        "confidence_threshold: 'If not provided, consider all boxes', against 'Default value: 0'",
        "Left out, boxes of any score are considered.",
        "The sentence says what leaving it out means.",
        "contradiction",
        admits="A threshold of 0, which leaves out what is not positive.",
    ),
    Reading(
        "'clip bounding boxes'",
        "Coordinates from 0 to 1.",
        "They are normalized.",
        "silence",
    ),
    Reading(
        "decrease_label_id: 'perform NMS like in Apache MxNet'",
        "A box is of its class with the best score, the background apart, and class_id is one less. Asked with the "
        "background 0, and without top_k.",
        "The name of the attribute, and what that framework does.",
        "silence",
    ),
    Reading(
        "objectness_score: 'threshold to sort out confidence predictions'",
        "Boxes whose second number in the fourth input is below it are left out.",
        "The article has the scores of no object and of an object, in that order; with the default of 0 none is left "
        "out.",
        "silence",
    ),
    Reading(
        "additional box predictions",
        "The proposals are decoded with them, and the result with the box logits. Results beyond the image are not "
        "asked: the page does not say whether these are clipped too.",
        "The article.",
        "silence",
    ),
    Reading(
        "the order of rows, and of equal scores",
        "Any order is right.",
        "The page has none.",
        "silence",
    ),
    Reading(
        "'The first tuple with batch_id equal to -1 means end of output'",
        "The rest of that row and the rows behind it have any numbers; an output full of boxes has no such row.",
        "The page says no more of them.",
        "silence",
    ),
    Reading(
        "keep_top_k of 0 or below -1; more than one number in it",
        "The former are not asked; the first number counts.",
        "The shape of the output names keep_top_k[0] alone, greater than zero or -1.",
        "silence",
    ),
    Reading(
        "'1: 2D input tensor with additional ... Optional' for the inputs 4 and 5",
        "Both or none.",
        "'It can have 2 additional inputs'; 'Used only when the DetectionOutput layer has 5 inputs'.",
        "silence",
    ),
    Reading(
        "equal classes with decrease_label_id, IOU of boxes without an area, or of corners in another order",
        "They are not asked.",
        "No formula has them.",
        "silence",
    ),
]
RULES = [
    rule(
        "all inputs but proposals are of N images",
        lambda layer: (
            {
                t.shape[0]
                for i in layer.operation.inputs
                for t in layer.tensors(i.name)
                if i.name != "proposals"
            }
            == {layer.box_logits.shape[0]}
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
SOME = rule(
    "there are prior boxes",
    lambda layer: count_of(layer) > 0,
    unasked="the number of classes is then a quotient by 0",
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
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("box_logits", T, exactly(2), shape=logits_shape, values=logits),
            Input(
                "class_predictions",
                T,
                exactly(2),
                shape=lambda layer: f"N, {classes_of(layer)}*num_prior_boxes",
                values=confidences,
            ),
            Input(
                "proposals",
                T,
                exactly(3),
                shape=lambda layer: (
                    f"priors_batch_size, {rows_of(layer)}, {width_of(layer)}*num_prior_boxes"
                ),
                values=proposals,
            ),
            Input(
                "additional_class_predictions",
                T,
                shape="N, 2*num_prior_boxes",
                optional=True,
                values=objects,
            ),
            Input(
                "additional_box_predictions",
                T,
                exactly(2),
                shape=logits_shape,
                optional=True,
                values=more_logits,
            ),
        ],
        outputs=[Output("output", T)],
        mixes=True,
        attributes=[
            *([Attribute("num_classes", int, required=True, least=1)] if has_classes else []),
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
            f"{PRINTED}{'; num_classes=2' * has_classes} -> [1,1,200,7]", ports=[0, 1, 2, 3]
        ),
        rules=RULES + ([] if has_classes else [SOME]),
        variants=variants(VARIANTS),
        readings=READINGS,
    )

    @operation.plain
    def plain():
        given = {"normalized": True, "share_location": False}
        return {
            **shapes(3, 7, 3, given),
            **({"num_classes": 3} if has_classes else {}),
            **given,
            "background_label_id": 1,
            "top_k": 6,
            "variance_encoded_in_target": False,
            "keep_top_k": [9],
            "code_type": CENTER,
            "nms_threshold": 0.5,
            "confidence_threshold": 0.0626,
            "clip_after_nms": True,
            "clip_before_nms": False,
            "decrease_label_id": False,
            "input_height": 20,
            "input_width": 48,
            "objectness_score": 0.4,
        }

    @operation.random
    def layer(draw):
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
        return {**shapes(batches, count, classes, given, own, more), **number, **given}

    @operation.adapt
    def of_one_size(layer):
        """Boxes of another size, or for other classes."""
        batches, count, classes = layer.box_logits.shape[0], *sizes_of(layer)
        own = layer.proposals.shape[0] > 1
        more = layer.additional_box_predictions is not None
        given = {
            name: getattr(layer, name)
            for name in ("normalized", "variance_encoded_in_target", "share_location")
        }
        return shapes(batches, count, classes, given, own, more)

    return operation


DetectionOutput1 = detection_output("DetectionOutput-1", "opset1", True)
DetectionOutput8 = detection_output("DetectionOutput-8", "opset8", False)
