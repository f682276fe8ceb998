"""ExperimentalDetectronGenerateProposalsSingleImage: the best boxes of one image
(page ExperimentalDetectronGenerateProposalsSingleImage-6).
"""

from ir_models.declaration import *
from ir_models.families.proposals import T, drawn, proposals

# No side is near to the least size of the variant scale, be it multiplied by the scale or not.
ExperimentalDetectronGenerateProposalsSingleImage = proposals(
    "ExperimentalDetectronGenerateProposalsSingleImage-6",
    "opset6",
    {
        "im_info": "3",
        "anchors": "height*width*number_of_anchors, 4",
        "deltas": "4*number_of_anchors, height, width",
        "scores": "number_of_anchors, height, width",
    },
    [Output("rois", T), Output("roi_scores", T)],
    examples("""
        im_info=[3]; anchors=[12600,4]; deltas=[12,50,84]; scores=[3,50,84];
            min_size=0.0; nms_threshold=0.699999988079071; post_nms_count=1000; pre_nms_count=1000 -> [1000,4], [1000]
    """),
    single=True,
    more_variants="""
    scale: of the image
        im_info=f32:[45,76,2]|f32:[44,75,0.5]; min_size=6.3|3.2
    all-kept: as many boxes as there is room for
        min_size=0.0; nms_threshold=0.99; pre_nms_count=90; post_nms_count=90
    """,
    readings=[
        Reading(
            "the sides of boxes",
            "The difference of coordinates, or one more: the reference admits both.",
            "No formula; of coordinates of pixels that at the end is usually part of the box.",
            "silence",
        ),
        Reading(
            "'returns output tensors filled with zeroes' where there are fewer than post_nms_count",
            "Zeros stand behind those that there are.",
            "'returns these top proposals and their scores'.",
        ),
    ],
)


@ExperimentalDetectronGenerateProposalsSingleImage.random
def layer(draw):
    count, height, width = (draw.integer(1, 5) for _ in range(3))
    return {
        **drawn(draw),
        "im_info": [3],
        "anchors": [height * width * count, 4],
        "deltas": [4 * count, height, width],
        "scores": [count, height, width],
    }
