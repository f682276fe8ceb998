"""DetectionOutput: boxes and scores of a network, decoded, and the best of those that overlap (pages -1 and -8)."""

from ir_models.declaration import *
from ir_models.families.detection_data import *

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
        Boxes whose second number in the fourth input is below it are left out. Equal ones are not asked.
        The article has the scores of no object and of an object, in that order; with the default of 0 none is left out.
        admits: Boxes that stay with a score of 0.
    silence: additional box predictions
        Proposals are decoded with them, and the result with the box logits. Results beyond the image are not asked.
        The article; the page does not say whether these are clipped too.
    silence: the order of rows, and of equal scores
        Any order is right.
        The page has none.
    silence: 'The first tuple with batch_id equal to -1 means end of output'
        The rest of that row and the rows behind it have any numbers; an output full of boxes has no such row.
        The page says no more of them.
    silence: keep_top_k of 0 or below -1; top_k of 0; more than one number in keep_top_k
        The former are not asked; the first number counts.
        The shape of the output names keep_top_k[0] alone, and numbers greater than zero or -1.
    silence: 'Optional' for the inputs 4 and 5
        Both or none.
        'It can have 2 additional inputs'; 'Used only when the DetectionOutput layer has 5 inputs'.
    silence: equal classes with decrease_label_id, IOU of boxes without an area, or of corners in another order
        They are not asked.
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
            f"{PRINTED}{'; num_classes=2' * has_classes} -> [1,1,200,7]", ports=[0, 1, 2, 3]
        ),
        rules=RULES if has_classes else [*RULES, some],
        variants=variants(VARIANTS),
        readings=READINGS,
    )
    operation.plain(lambda: PLAIN + "; num_classes=3" * has_classes)
    operation.random(lambda draw: drawn(draw, has_classes))
    operation.adapt(shapes_of_one_size)
    return operation


DetectionOutput1 = detection_output("DetectionOutput-1", "opset1", True)
DetectionOutput8 = detection_output("DetectionOutput-8", "opset8", False)
