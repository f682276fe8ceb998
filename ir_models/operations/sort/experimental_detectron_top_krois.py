"""ExperimentalDetectronTopKROIs: the regions with the highest probabilities (page ExperimentalDetectronTopKROIs-6)."""

from ir_models.declaration import *

T = types("T", "any supported floating-point type")


def probabilities(layer, state):
    """Distinct numbers in random order, 2^-8 apart at least where they are at most 256, as every type holds them."""
    count = layer.probabilities.size
    return (state.permutation(count) + 1) / max(256, count + 1)


ROIS = "rois=f32:[[1,2,3,4],[5,6,7,8],[9,10,11,12],[13,14,15,16],[17,18,19,20]]"
TIES = f"{ROIS}; probabilities=f32:[0.5,0.75,0.5,0.25,0.5]"
PRINTED = "rois=[5000,4]; probabilities=[5000]; max_rois=1000"

ExperimentalDetectronTopKROIs = Operation(
    "ExperimentalDetectronTopKROIs-6",
    "opset6",
    inputs=[
        Input("rois", T, shape="number_of_ROIs, 4"),
        Input("probabilities", T, shape="number_of_ROIs", values=probabilities),
    ],
    outputs=[Output("output", T)],
    sizes={"number_of_ROIs": 7},
    attributes=[Attribute("max_rois", int, default=0, least=0, plain=4)],
    examples=examples(f"{PRINTED} -> [1000,4]"),
    rules=[
        rule(
            "there is a region",
            lambda layer: layer.rois.shape[0] > 0,
            unasked="the whole output would be undefined values",
        )
    ],
    variants=variants(f"""
        count: less, as many and more than there are
            max_rois=1|6|7|8|100
        none (may be empty): the range of values has 0
            max_rois=0
        many: as in models
            rois=[1500,4]; probabilities=[1500]; max_rois=1|1000|1500|1501
        equal: the order of regions with equal probabilities is undefined, also at the last place
            {TIES}; max_rois=1|2|3|4|5|6
            {ROIS}; probabilities=f32:[0.5,0.5,0.5,0.5,0.5]; max_rois=2|5
            {ROIS}; probabilities=f32:[0.0,-0.0,0.5,-0.0,0.0]; max_rois=2|5
        order: ascending, descending and negative numbers
            {ROIS}; probabilities=f32:[1,2,3,4,5]|f32:[5,4,3,2,1]|f32:[-2,-1,-4,-0.5,-3]; max_rois=3|5
        close: a higher probability comes first, by however little
            {ROIS}; probabilities=f32:[0.5,0.5000001,0.5000002,0.49999997,0.49999994]; max_rois=3|5
        infinite: the ends
            {ROIS}; probabilities=f32:[1,inf,-2,-inf,3]; max_rois=4|5
    """),
    readings=[
        Reading(
            "'number_of_ROIs' and 'number_of_input_ROIs'",
            "One number.",
            "'probabilities for input ROIs'.",
            "slip",
        ),
        Reading(
            "regions of equal probabilities of which not all are returned",
            "Any of them.",
            "'Order of sorted ROIs with equal probabilities is undefined'.",
            "silence",
        ),
        Reading(
            "max_rois: 'Default value: 0', in the 'non-negative' numbers",
            "No region: an output of the shape [0, 4].",
            "The shape of the output is [max_rois, 4].",
            "silence",
            "A device may refuse a layer without a result.",
        ),
    ],
)


@ExperimentalDetectronTopKROIs.random
def layer(draw):
    count = draw.integer(1, 40)
    return {
        "rois": [count, 4],
        "probabilities": [count],
        "max_rois": draw.choice([draw.integer(1, count), draw.integer(1, 50)]),
    }
