"""ReverseSequence: the first elements of each slice in opposite order (page ReverseSequence-1)."""

from ir_models.declaration import *

T1 = types("T1", "any supported type")
T2 = types("T2", "any supported numerical type")

ReverseSequence = Operation(
    "ReverseSequence-1",
    "opset1",
    inputs=[Input("data", T1, at_least(2)), Index("seq_lengths", T2, least=1)],
    outputs=[Output("output", T1)],
    attributes=[
        Attribute("batch_axis", int, default=0, axis_of="data"),
        Attribute("seq_axis", int, default=1, axis_of="data"),
    ],
    examples=examples(
        "data=f32[4,10,100,200]; seq_lengths=2,4,8,10; batch_axis=0; seq_axis=1 -> [4,10,100,200]"
    ),
    rules=[
        rule(
            "batch_axis and seq_axis are two axes",
            lambda layer: axes_of(layer, "batch_axis") != axes_of(layer, "seq_axis"),
            unasked="the page does not say that they differ, though they cannot be one",
        ),
        rule(
            "seq_lengths has data_shape[batch_axis] elements",
            lambda layer: layer.seq_lengths.shape == (layer.data.shape[layer.batch_axis],),
            ["seq_lengths=4,2|4,2,3,1", "data=[4,4,5,2]"],
        ),
        rule(
            "seq_lengths are at most data_shape[seq_axis]",
            lambda layer: max(layer.seq_lengths.value) <= layer.data.shape[layer.seq_axis],
            "seq_lengths=4,6,3",
        ),
        rule(
            "seq_lengths are integers",
            lambda layer: all(number == int(number) for number in layer.seq_lengths.value),
            "seq_lengths=f32:3.5,2.0,3.0",
        ),
    ],
    violations=["seq_lengths=0,2,3|4,2,-1"],
    variants=variants("""
        batch-axis: any dimension may be the batch
            batch_axis=1; seq_lengths=1,3,5,2
            batch_axis=3; seq_lengths=5,4
            batch_axis=3; seq_axis=0; seq_lengths=3,2
            batch_axis=2; seq_axis=1; seq_lengths=2,4,1,3,3
        negative-axis: axes count from -rank(data)
            batch_axis=-4
            seq_axis=-2
            batch_axis=-1; seq_axis=-3; seq_lengths=4,3
        whole-sequences: a length may be the whole dimension
            seq_lengths=5,5,5
        no-reversal: a length of 1 reverses nothing
            seq_lengths=1,1,1
    """),
    readings=[
        Reading(
            "seq_lengths of 'any supported numerical type'",
            "Integers, written in that type.",
            "'All element values must be integer values'.",
        ),
    ],
)


@ReverseSequence.plain
def plain(rank=4):
    """Without batch_axis or seq_axis the lengths are still valid, for shorter sequences."""
    return {
        "data": [3, 4, 5, 2, 1, 2, 3, 1][:rank],
        "seq_lengths": [4, 2, 3],
        "batch_axis": 0,
        "seq_axis": 2 if rank > 2 else 1,
    }


@ReverseSequence.random
def layer(draw):
    shape = draw.shape(draw.integer(2, 6), most=4)
    rank = len(shape)
    batch, sequence = draw.permutation(rank)[:2]
    lengths = [draw.integer(1, shape[sequence]) for _ in range(shape[batch])]
    given = {"data": shape, "seq_lengths": lengths}
    if (batch, sequence) != (0, 1) or draw.boolean():
        given["batch_axis"] = batch - draw.choice([0, rank])
        given["seq_axis"] = sequence - draw.choice([0, rank])
    return given


@ReverseSequence.adapt
def fit_lengths(layer):
    """Fewer lengths for fewer slices, none longer than a sequence."""
    count, most = (layer.data.shape[axis] for axis in (layer.batch_axis, layer.seq_axis))
    return {"seq_lengths": [min(n, most) for n in layer.seq_lengths.value[:count]]}
