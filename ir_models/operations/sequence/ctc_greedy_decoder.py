"""CTCGreedyDecoder: the best path of each sequence, without blanks (page CTCGreedyDecoder-1)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.decoding import TIES, has_classes, peaks, sizes

T_F = types("T_F", "any supported floating-point type")


def ones_first(layer, state):
    """Each sequence has a length of its own, the first one all steps."""
    steps, batch = layer.sequence_mask.shape
    lengths = np.append([steps], state.randint(1, max(steps, 1) + 1, max(batch - 1, 0)))[:batch]
    return np.arange(steps)[:, np.newaxis] < lengths


def columns(layer):
    """The mask of each sequence. Raises ValueError where the layer does not state it."""
    if layer.sequence_mask.value is None:
        raise ValueError("drawn masks keep the rules")
    return np.array(layer.sequence_mask.value).T


# One sequence of eight steps and four classes: A B B * B * B A, where * is the last class.
ABB = """data=f32:[[[4,0,1,2]],[[0,4,1,2]],[[0,4,2,1]],[[1,2,0,4]],[[2,4,0,1]],[[0,1,2,4]],[[0,4,1,2]],[[4,1,2,0]]]"""
ALL = "sequence_mask=f32:[[1],[1],[1],[1],[1],[1],[1],[1]]"

CTCGreedyDecoder = Operation(
    "CTCGreedyDecoder-1",
    "opset1",
    inputs=[
        Input("data", T_F, shape="T, N, C", values=peaks),
        Input("sequence_mask", T_F, shape="T, N", values=ones_first),
    ],
    outputs=[Output("output", T_F)],
    attributes=[Attribute("ctc_merge_repeated", bool, default=True, plain=False)],
    sizes={"T": 9, "N": 3, "C": 5},
    mixes=True,
    examples=examples(
        "data=[20,8,128]; sequence_mask=[20,8]; ctc_merge_repeated=true -> [8,20,1,1]",
        [0, 1, 0],
    ),
    rules=[
        has_classes(),
        rule(
            "sequence_mask holds 0 and 1",
            lambda layer: {*columns(layer).ravel()} <= {0, 1},
            f"{ABB}; sequence_mask=f32:[[1],[1],[2],[1],[1],[0],[0],[0]]|f32:[[1],[0.5],[0],[0],[0],[0],[0],[0]]",
        ),
        rule(
            "in sequence_mask no 1 follows a 0",
            lambda layer: (
                not {*columns(layer).ravel()} <= {0, 1}
                or all(list(each) == sorted(each, reverse=True) for each in columns(layer))
            ),
            f"{ABB}; sequence_mask=f32:[[1],[1],[0],[1],[1],[1],[1],[0]]|f32:[[0],[1],[1],[1],[1],[1],[1],[1]]",
        ),
    ],
    variants=variants(f"""
        merge-repeated: equal classes in consecutive steps are one, unless a blank is between them
            {ABB}; {ALL}; ctc_merge_repeated=true|false|-
            ctc_merge_repeated=true
        lengths: steps behind the last symbol of a sequence do not count
            {ABB}; sequence_mask=f32:[[1],[1],[1],[0],[0],[0],[0],[0]]; ctc_merge_repeated=true|false
            {ABB}; sequence_mask=f32:[[1],[0],[0],[0],[0],[0],[0],[0]]; ctc_merge_repeated=true|false
        blanks-alone: a sequence of blanks has no class
            data=f32:[[[0,1,2]],[[-1,-3,0]]]; sequence_mask=f32:[[1],[1]]; ctc_merge_repeated=true|false
        equal-scores: any of the largest
            data=f32:[[[3,3,1]],[[0,2,2]],[[5,1,0]]]; sequence_mask=f32:[[1],[1],[1]]; ctc_merge_repeated=true|false
        near-scores: scores that narrower types do not tell apart, and negative ones
            data=f32:[[[1,1.0000001,0]],[[-3,-2.9999998,-4]],[[3e38,1e38,0]]]; sequence_mask=f32:[[1],[1],[1]]
            data=f64:[[[1,1.0000000000000002,0]],[[2,1,0]]]; sequence_mask=f64:[[1],[1]]
            data=f16:[[[1,1.001,0]],[[2,1.999,0]]]; sequence_mask=f16:[[1],[1]]
        many-classes: more than a vector register has lanes, and one class beside the blank
            data=[30,4,100]; sequence_mask=[30,4]; ctc_merge_repeated=true|false
            data=[12,3,2]; sequence_mask=[12,3]; ctc_merge_repeated=true|false
    """),
    readings=[
        TIES,
        Reading(
            "'if the output index corresponds to the blank_index', which is no attribute or input",
            "It is C - 1.",
            "That is the default of CTCGreedyDecoderSeqLen-6, a page that compares both operations.",
            "silence",
        ),
        Reading(
            "'sequence symbol at index i in the sequence i', 'sequence_mass[j, i]'",
            "At index j in the sequence i; sequence_mask.",
            "The mask has the shape [T, N].",
            "slip",
        ),
        Reading(
            "a sequence without a symbol",
            "It is not tested.",
            "The mask is 1 'up to the particular index j = last_sequence_symbol'.",
            "silence",
        ),
    ],
)


@CTCGreedyDecoder.random
def layer(draw):
    batch, steps, classes = sizes(draw)
    merge = draw.choice([True, False, None])
    return {
        "data": [steps, batch, classes],
        "sequence_mask": [steps, batch],
        "ctc_merge_repeated": merge,
    }
