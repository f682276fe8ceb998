"""GenerateProposals: the best boxes of each image of a batch (page GenerateProposals-9)."""

from ir_models.declaration import *
from ir_models.families.proposals import A_HALF, TWO_THIRDS, T, drawn, proposals, stated
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64

ATTRIBUTES = (
    "min_size=0.0; nms_threshold=0.699999988079071; post_nms_count=1000; pre_nms_count=1000"
)
# Boxes of which each shares 4/5 of the length of both with the next one, 2/3 with the one behind that, then 6/11 ...
LADDER = stated(
    [[x, 0, x + 45, 8] for x in (0, 5, 10, 15, 20, 25)],
    [0.875, 0.75, 0.625, 0.5, 0.25, 0.125],
    image=(64, 80, 1),
)

GenerateProposals = proposals(
    "GenerateProposals-9",
    "opset9",
    {
        "im_info": "num_batches, numbers",
        "anchors": "height, width, number_of_anchors, 4",
        "boxesdeltas": "num_batches, 4*number_of_anchors, height, width",
        "scores": "num_batches, number_of_anchors, height, width",
    },
    [
        Output("rpnrois", T),
        Output("rpnscores", T),
        Output("rpnroisnum", lambda layer: ELEMENT_TYPES.get(layer.roi_num_type, i64)),
    ],
    examples(f"""
        im_info=[8,3]; anchors=[50,84,3,4]; boxesdeltas=[8,12,50,84]; scores=[8,3,50,84]; {ATTRIBUTES}; roi_num_type=i32
            -> [-1,4], [-1], [8]
    """),
    single=False,
    attributes=[
        Attribute("normalized", bool, default=True, plain=False),
        Attribute("nms_eta", float, default=1.0, plain=1.0),
        Attribute("roi_num_type", ("i32", "i64"), default="i64", plain="i32"),
    ],
    rules=[
        rule(
            "im_info has 3 or 4 numbers of each image",
            lambda layer: layer.im_info.shape[1] in (3, 4),
            "im_info=[2,2]|[2,5]",
        ),
        rule(
            "nms_eta is from 0 to 1",
            lambda layer: 0 <= layer.nms_eta <= 1,
            "nms_eta=-0.125|1.125",
        ),
    ],
    more_variants=f"""
    normalized: coordinates are normalized or those of pixels
        normalized=true; min_size=0.0|0.0525|0.1
        normalized=false; min_size=0.0
    normalized-image: parts of an image of size 1
        {
        stated(
            [[0.25, 0.125, 0.75, 0.5], [-0.25, 0.5, 0.125, 1.5], [0.5, 0.75, 1, 1]],
            [0.5, 0.75, 0.25],
            image=(1, 1, 1),
        )
    }; min_size=0.125|0.25; normalized=true; nms_threshold={A_HALF}
    scales: one for both sides, or two
        im_info=[2,4]
        im_info=f32:[[45,76,2,3],[44,75,0.5,0.25]]|f32:[[45,76,2],[44,75,0.5]]; min_size=6.3|3.2
    images: each on its own
        im_info=[3,3]; boxesdeltas=[3,24,3,5]; scores=[3,6,3,5]
        im_info=[1,3]; boxesdeltas=[1,24,3,5]; scores=[1,6,3,5]
    eta: the threshold falls while it is above 0.5
        nms_threshold={TWO_THIRDS}|{A_HALF}; nms_eta=0.75|0.0
        nms_threshold=1.5; nms_eta=0.5
    eta-of-overlaps: after each box that remains
        {LADDER}; min_size=0.0; post_nms_count=6; nms_threshold=0.9|0.74; nms_eta=0.9|0.8|0.7
    eta-at-half: a threshold of 0.5 stays
        {LADDER}; min_size=0.0; post_nms_count=6; nms_threshold=0.5; nms_eta=0.7
    """,
    readings=[
        Reading(
            "'normalized': how it changes the boxes",
            "A side is the difference of its coordinates; of boxes that are not normalized the reference admits one "
            "more as well.",
            "No formula has the flag; of coordinates of pixels that at the end is usually part of the box.",
            "silence",
        ),
        Reading(
            "'update adaptive_threshold *= nms_eta': when, and for which boxes",
            "After each box that remains. The reference admits the new threshold for all boxes that are compared from "
            "then on, and one that each box keeps, that before or after its own update.",
            "The page does not say.",
            "silence",
        ),
        Reading(
            "'step 4: takes top pre_nms_count', and step 5: 'removes' small ones",
            "In this order: fewer than pre_nms_count go to the suppression.",
            "The numbers of the steps.",
        ),
    ],
)


@GenerateProposals.random
def layer(draw):
    batches, count = draw.integer(1, 3), draw.integer(1, 5)
    height, width = draw.integer(1, 5), draw.integer(1, 5)
    normalized = draw.choice([True, False, None])
    found = dict(drawn(draw))
    if normalized is not False:
        found["min_size"] /= 128
    return {
        **found,
        "im_info": [batches, draw.integer(3, 4)],
        "anchors": [height, width, count, 4],
        "boxesdeltas": [batches, 4 * count, height, width],
        "scores": [batches, count, height, width],
        "normalized": normalized,
        "nms_eta": draw.choice([1.0, 1.0, None, None, 0.75]),
        "roi_num_type": draw.choice(["i32", "i64", None]),
    }
