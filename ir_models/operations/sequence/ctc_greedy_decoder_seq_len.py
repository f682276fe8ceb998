"""CTCGreedyDecoderSeqLen: the best path of each sequence of a length (page CTCGreedyDecoderSeqLen-6)."""

from ir_models.declaration import *
from ir_models.families.decoding import TIES, has_classes, peaks, sizes
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i32

T_F = types("T_F", "any supported floating-point type")
T_I = types("T_I", "int32 or int64")
INDEX_TYPES = ("i64", "i32")


def typed(name):
    return lambda layer: ELEMENT_TYPES.get(getattr(layer, name), i32)


def classes(layer):
    return layer.data.shape[2]


# A B B * B * B A, where * is the last of four classes.
ABB = "data=f32:[[[4,0,1,2],[0,4,1,2],[0,4,2,1],[1,2,0,4],[2,4,0,1],[0,1,2,4],[0,4,1,2],[4,1,2,0]]]"

CTCGreedyDecoderSeqLen = Operation(
    "CTCGreedyDecoderSeqLen-6",
    "opset6",
    inputs=[
        Input("data", T_F, shape="N, T, C", values=peaks),
        Index("sequence_length", T_I, shape="N", least=0, plain=[9, 4, 0]),
        Index("blank_index", T_I, shape="scalar or 1", optional=True, plain=2),
    ],
    outputs=[
        Output("classes_index", typed("classes_index_type")),
        Output("sequence_length", typed("sequence_length_type")),
    ],
    attributes=[
        Attribute("merge_repeated", bool, default=True, plain=False),
        Attribute("classes_index_type", INDEX_TYPES, default="i32", plain="i64"),
        Attribute("sequence_length_type", INDEX_TYPES, default="i32", plain="i64"),
    ],
    sizes={"N": 3, "T": 9, "C": 5},
    mixes=True,
    examples=examples(
        """
        data=[8,20,128]; sequence_length=20,19,18,10,5,1,20,0; blank_index=120; merge_repeated=true;
            classes_index_type=i64; sequence_length_type=i64 -> [8,20], [8]
            altered: the page prints no value of sequence_length
        """,
        [0, 1, 2, 0, 1],
    ),
    rules=[
        rule(
            "sequence_length is at most T",
            lambda layer: all(n <= layer.data.shape[1] for n in layer.sequence_length.value),
            "sequence_length=10,4,0|9,4,100",
        ),
        rule(
            "blank_index is a class",
            lambda layer: all(0 <= n < classes(layer) for n in numbers(layer.blank_index)),
            "blank_index=5|-1|[100]",
            reading=Reading(
                "blank_index: 'the class index to use for the blank class'",
                "It is from 0 to C - 1.",
                "There are no other classes.",
            ),
        ),
        has_classes(),
    ],
    violations=["blank_index=[1,2]"],
    unasked={"sequence_length is at least 0": "the page names no lowest length"},
    variants=variants(f"""
        merge-repeated: equal classes in consecutive steps are one, unless a blank is between them
            {ABB}; sequence_length=8; blank_index=3|-|[3]; merge_repeated=true|false|-
            merge_repeated=true
        blank: any class may be the blank, which is removed
            blank_index=0|1|3|4|[0]|[4]
            {ABB}; sequence_length=8; blank_index=0|1|2; merge_repeated=true|false
        lengths: steps behind the end of a sequence do not count
            sequence_length=0,1,9|9,9,9|1,1,1|0,0,5
            {ABB}; sequence_length=3|5|7; blank_index=3; merge_repeated=true|false
        blanks-alone: a sequence of blanks has no class
            data=f32:[[[0,1,2],[-1,-3,0]]]; sequence_length=2; blank_index=2|-; merge_repeated=true|false
        equal-scores: any of the largest
            data=f32:[[[3,3,1],[0,2,2],[5,1,0]]]; sequence_length=3; blank_index=2; merge_repeated=true|false
        near-scores: scores that narrower types do not tell apart, and negative ones
            data=f32:[[[1,1.0000001,0],[-3,-2.9999998,-4],[3e38,1e38,0]]]; sequence_length=3; blank_index=2
            data=f64:[[[1,1.0000000000000002,0],[2,1,0]]]; sequence_length=2; blank_index=2
            data=f16:[[[1,1.001,0],[2,1.999,0]]]; sequence_length=2; blank_index=2
        many-classes: more than a vector register has lanes, and one class beside the blank
            data=[4,30,100]; sequence_length=30,17,0,29; blank_index=2|99|-
            data=[3,12,2]; sequence_length=12,3,7; blank_index=0|1
    """),
    readings=[TIES],
)


@CTCGreedyDecoderSeqLen.random
def layer(draw):
    batch, steps, count = sizes(draw)
    blank = draw.choice([0, 1, 2, count - 1]) % count
    return {
        "data": [batch, steps, count],
        "sequence_length": [draw.integer(0, steps) for _ in range(batch - 1)] + [steps],
        "blank_index": draw.choice([blank, [blank], None]),
        "merge_repeated": draw.choice([True, False, None]),
        "classes_index_type": draw.choice([*INDEX_TYPES, None]),
        "sequence_length_type": draw.choice([*INDEX_TYPES, None]),
    }


@CTCGreedyDecoderSeqLen.adapt
def within_data(layer):
    """Lengths within T, and a blank among the classes."""
    batch, steps, count = layer.data.shape
    lengths = [min(n, steps) for n in [*layer.sequence_length.value, *[steps] * batch][:batch]]
    return {
        "sequence_length": lengths,
        "blank_index": min(numbers(layer.blank_index)[0], count - 1),
    }
