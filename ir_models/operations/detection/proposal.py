"""Proposal: boxes with the best scores about the points of a feature map (pages Proposal-1 and Proposal-4)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.boxes import distinct_scores
from ir_models.families.proposals import A_HALF, A_QUARTER, ABOVE_ALL, TWO_THIRDS, listed

T = types("T", "floating-point type")


class Scores:
    """Class probabilities as the scores that ``distinct_scores`` asks for."""

    def __init__(self, layer):
        self.scores = layer.class_probs


def scores(layer, state):
    return distinct_scores(Scores(layer), state)


def deltas(layer, state):
    """Shifts by eighths of a side; sides that are kept or, but in 16-bit types, no longer whole."""
    batch, channels, height, width = layer.bbox_deltas.shape
    found = np.zeros((batch, channels // 4, 4, height, width))
    found[:, :, :2] = state.randint(-3, 4, found[:, :, :2].shape) / 8
    if layer.bbox_deltas.element_type.bits != 16:
        found[:, :, 2:] = state.choice([0, 0, 0.296875, -0.296875], found[:, :, 2:].shape)
    return found


def image(layer, state):
    """An image that cuts some boxes off, of the scale 1."""
    height, width = layer.class_probs.shape[2:]
    stride = layer.feat_stride
    return [stride * height + 5, stride * width + 9, 1.0, 1.0][: layer.image_info.size]


def fixed(boxes_scores, **changes):
    """Changes for one anchor, without deltas, of the sides 16, at each point of one row, with these scores."""
    count = len(boxes_scores)
    parts = {
        "class_probs": f"f32:{listed(np.array([[[0.5] * count], [boxes_scores]])[None])}",
        "bbox_deltas": f"f32:{listed(np.zeros((1, 4, 1, count)))}",
        "image_info": "f32:[64,160,1]",
        "scale": "1.0",
        **changes,
    }
    return "; ".join(f"{name}={value}" for name, value in parts.items())


FALLING = (0.875, 0.75, 0.625, 0.5, 0.25, 0.1875, 0.125, 0.0625)
EQUAL = (0.5, 0.75, 0.5, 0.5, 0.25, 0.1875, 0.125, 0.0625)
MIXED = (0.125, 0.25, 0.5, 0.375, 0.0625, 0.75, 0.3125, 0.4375)
# Boxes of 16 by 16 at points 8 apart.
HALVES = fixed(FALLING, feat_stride=8, post_nms_topn=9, min_size=1)

VARIANTS = f"""
    counts: before and after the suppression, fewer and more than there are
        pre_nms_topn=1|4|1000; post_nms_topn=1|3|100
    threshold: boxes that overlap by more are out
        nms_thresh={A_QUARTER}|{TWO_THIRDS}|{ABOVE_ALL}
        {HALVES}; nms_thresh=0.25|{A_HALF}
    min-size: boxes with a smaller side are out
        min_size=1|12|17
    none-left: no box is large enough: the terminator comes first
        min_size=200; post_nms_topn=3
    anchors: sides from base_size, scale and ratio
        base_size=8|32; scale=1.0|0.5,1.0,3.0
        ratio=2.0|0.5|2.67|2.85|2.747; scale=1.0|1.0,2.0
        ratio=0.5,1.0,2.0; scale=1.0,2.0|2.0
    stride: the distance between points
        feat_stride=4|8|20
    clip: before or after the suppression, both or neither
        clip_before_nms=true|false; clip_after_nms=true|false
        clip_before_nms=true|false; clip_after_nms=true|false; normalize=true
    normalize: parts of the image
        normalize=true|false
    scales-of-deltas: by which they are divided or multiplied
        box_size_scale=2.0|0.5; box_coordinate_scale=1.0|4.0
    framework: two ways to calculate coordinates
        framework=tensorflow|-; scale=1.0|1.0,2.0
        framework=tensorflow; clip_before_nms=false; clip_after_nms=true; normalize=true
    scales-of-image: one for both sides or two
        image_info=[4]
        image_info=f32:[50,70,2]|f32:[50,70,2,3]|f32:[50,70,0.5]; min_size=6|9
    one-image: without others
        class_probs=[1,4,3,5]; bbox_deltas=[1,8,3,5]
    background: only the second scores count
        {fixed(MIXED, feat_stride=16, post_nms_topn=2, min_size=1)}; nms_thresh={A_HALF}
    equal-scores: the page leaves their order open
        {fixed(EQUAL, feat_stride=16, post_nms_topn=3, min_size=1)}; nms_thresh={A_HALF}
        {fixed(EQUAL, feat_stride=8, post_nms_topn=5, min_size=1)}; nms_thresh=0.25
    """

READINGS = [
    Reading(
        "'Width and height of boxes are calculated from base_size with scale and ratio', 'Left top corner of all boxes "
        "is at (0, 0)', 'calculate box coordinates like in Caffe'",
        "The sides are base_size * scale / sqrt(ratio) and that times ratio, in Caffe's way whole before the scale; "
        "the reference admits others as well. All boxes of a point have the center of one of base_size there, or its "
        "left top corner: the reference admits both. Anchors of one ratio stand together.",
        "The page has no formula and names the framework.",
    ),
    Reading(
        "'calculate box coordinates like in Caffe': whether the last pixel belongs to a box",
        "Sides are longer by 1 than the differences of coordinates, and the image ends with its last pixel, or "
        "neither; as in Caffe's layer the far corner may be the center and half a side even so. The border of the clip "
        "after the suppression, which that layer does not have, may be the side of the image.",
        "The page has no formula.",
        "silence",
    ),
    Reading(
        "'like in the TensorFlow* Object Detection API models'",
        "No pixel is added, sides are not rounded, anchors lie about the point. As there y stands before x, in boxes, "
        "deltas and ratios, and anchors are clipped to the image before deltas move them: the reference admits that x "
        "is first, and that nothing but the two flags clips.",
        "The page has no formula and names the framework.",
    ),
    Reading(
        "'pins anchor boxes to the image according to ... four deltas'",
        "Centers move by parts of the sides, which are multiplied by the exponentials of the last two deltas.",
        "What box regression means in the field.",
        "silence",
    ),
    Reading(
        "'scale factor applied to bbox_deltas ... before decoding', or 'to box sizes'",
        "Deltas are divided or multiplied by it: the reference admits both.",
        "The page does not say how it is applied.",
    ),
    Reading(
        "nms_thresh: 'boxes with prediction probability less than 0.5 are filtered out', against step 6",
        "The threshold of intersection / union.",
        "Step 6 is the algorithm, and the name says so.",
        "contradiction",
    ),
    Reading(
        "the scale or scales of the image",
        "min_size is multiplied by them or not: the reference admits both.",
        "No step mentions them.",
        "silence",
    ),
    Reading(
        "which half of '2*K' holds the scores",
        "The second one.",
        "'background and foreground', in this order.",
        "silence",
    ),
    Reading(
        "'valid proposals will be terminated with a single -1'",
        "In the place of the image in the row behind the last one of each image, or of all of them; what follows has "
        "any value, as scores behind the last one have.",
        "The page does not say where the boxes of the next image begin.",
    ),
    Reading("equal scores", "Any order.", "The page does not order them.", "silence"),
]


ATTRIBUTES = [
    Attribute("base_size", int, required=True, least=1, plain=16),
    Attribute("pre_nms_topn", int, required=True, least=1, plain=15),
    Attribute("post_nms_topn", int, required=True, least=1, plain=5),
    Attribute("nms_thresh", float, required=True, plain=A_HALF),
    Attribute("feat_stride", int, required=True, least=1, plain=16),
    Attribute("min_size", int, required=True, least=1, plain=9),
    Attribute("ratio", list[float], required=True, plain=(1.0,)),
    Attribute("scale", list[float], required=True, plain=(1.0, 2.0)),
    Attribute("clip_before_nms", bool, default=True, plain=False),
    Attribute("clip_after_nms", bool, default=False, plain=True),
    Attribute("normalize", bool, default=False, plain=True),
    Attribute("box_size_scale", float, default=1.0, plain=2.0),
    Attribute("box_coordinate_scale", float, default=1.0, plain=2.0),
    Attribute("framework", ("", "tensorflow"), default="", plain=""),
]


RULES = [
    rule(
        "image_info has 3 or 4 elements",
        lambda layer: layer.image_info.size in (3, 4),
        "image_info=[2]|[5]",
    ),
    rule(
        "K is the number of anchors, len(ratio) * len(scale)",
        lambda layer: layer.class_probs.shape[1] == 2 * len(layer.ratio) * len(layer.scale),
        ["ratio=1.0,2.0", "scale=1.0"],
    ),
    rule(
        "nms_thresh, box_size_scale and box_coordinate_scale are positive",
        lambda layer: min(layer.nms_thresh, layer.box_size_scale, layer.box_coordinate_scale) > 0,
        ["nms_thresh=0.0|-0.5", "box_size_scale=0.0|-1.0", "box_coordinate_scale=0.0|-1.0"],
    ),
]


def drawn(draw):
    ratio, scale = draw.choice([[1.0], [0.5], [1.0, 2.0]]), draw.choice([[1.0], [1.0, 2.0]])
    count = len(ratio) * len(scale)
    batch, height, width = draw.integer(1, 3), draw.integer(1, 5), draw.integer(1, 5)
    return {
        "class_probs": [batch, 2 * count, height, width],
        "bbox_deltas": [batch, 4 * count, height, width],
        "image_info": [draw.integer(3, 4)],
        "base_size": draw.choice([8, 16]),
        "pre_nms_topn": draw.integer(1, 40),
        "post_nms_topn": draw.integer(1, 20),
        "nms_thresh": draw.choice([A_QUARTER, A_HALF, TWO_THIRDS]),
        "feat_stride": draw.choice([8, 16]),
        "min_size": draw.choice([1, 6, 9]),
        "ratio": ratio,
        "scale": scale,
        "clip_before_nms": draw.choice([True, False, None]),
        "clip_after_nms": draw.choice([True, False, None]),
        "normalize": draw.choice([True, False, None]),
        "box_size_scale": draw.choice([None, 2.0]),
        "box_coordinate_scale": draw.choice([None, 4.0]),
        "framework": draw.choice(["", "tensorflow", None]),
    }


def as_many_anchors(layer):
    batch, _, height, width = layer.class_probs.shape
    count = len(layer.ratio) * len(layer.scale)
    return {
        "class_probs": layer.class_probs.with_shape(batch, 2 * count, height, width),
        "bbox_deltas": layer.bbox_deltas.with_shape(batch, 4 * count, height, width),
    }


def proposal(name, opset, example, outputs, readings=()):
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("class_probs", T, shape="batch_size, 2*K, H, W", values=scores),
            Input("bbox_deltas", T, shape="batch_size, 4*K, H, W", values=deltas),
            Input("image_info", T, shape="numbers", values=image),
        ],
        outputs=outputs,
        # More images would be as many computations of a few boxes.
        grows=Growth("class_probs", 2),
        attributes=ATTRIBUTES,
        sizes={"batch_size": 2, "K": 2, "H": 3, "W": 5, "numbers": 3},
        examples=example,
        rules=RULES,
        variants=variants(VARIANTS),
        readings=[*READINGS, *readings],
    )

    operation.adapt(as_many_anchors)
    operation.random(drawn)
    return operation


ONE = "base_size=16; feat_stride=16; min_size=16; nms_thresh=0.6; post_nms_topn=200; pre_nms_topn=6000"
Proposal1 = proposal(
    "Proposal-1",
    "opset1",
    [
        example(
            f"class_probs=[1,12,34,62]; bbox_deltas=[1,24,34,62]; image_info=[3]; {ONE}; ratio=2.67; "
            "scale=4.0,6.0,9.0,16.0,24.0,32.0",
            output=None,
            altered="the page prints no ports; these shapes are ours",
        )
    ],
    [Output("output", T)],
)
Proposal4 = proposal(
    "Proposal-4",
    "opset4",
    examples("""
        class_probs=[7,4,28,28]; bbox_deltas=[7,8,28,28]; image_info=[3]; base_size=16; feat_stride=8; min_size=16;
            nms_thresh=1.0; normalize=false; post_nms_topn=1000; pre_nms_topn=1000; ratio=1.0; scale=1.0,2.0
            -> [7000,5], [7000]
    """),
    [Output("boxes", T), Output("probabilities", T)],
)
