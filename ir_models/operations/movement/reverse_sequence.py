"""ReverseSequence: the first elements of each slice in opposite order (page ReverseSequence-1)."""

from ir_models.declaration import Attribute, Index, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, NUMERIC, f32, types

T1 = types("T1", ANY)
T2 = types("T2", NUMERIC)

ReverseSequence = Operation(
    "ReverseSequence-1",
    opset="opset1",
    inputs=[Input("data", T1, at_least(2)), Index("seq_lengths", T2)],
    outputs=[Output("output", T1)],
    attributes=[Attribute("batch_axis", int, default=0), Attribute("seq_axis", int, default=1)],
    examples=[
        example(
            data=f32[4, 10, 100, 200],
            seq_lengths=[2, 4, 8, 10],
            batch_axis=0,
            seq_axis=1,
            output=[4, 10, 100, 200],
            ports=[0, 1, 2],
        )
    ],
    variants={
        "batch-axis": [
            {"batch_axis": 1, "seq_lengths": [1, 3, 5, 2]},
            {"batch_axis": 3, "seq_lengths": [5, 4]},
            {"batch_axis": 3, "seq_axis": 0, "seq_lengths": [3, 2]},
            {"batch_axis": 2, "seq_axis": 1, "seq_lengths": [2, 4, 1, 3, 3]},
        ],
        "negative-axis": [
            {"batch_axis": -4},
            {"seq_axis": -2},
            {"batch_axis": -1, "seq_axis": -3, "seq_lengths": [4, 3]},
        ],
        "whole-sequences": [{"seq_lengths": [5, 5, 5]}],
        "no-reversal": [{"seq_lengths": [1, 1, 1]}],
    },
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
    given = {
        "data": shape,
        "seq_lengths": [draw.integer(1, shape[sequence]) for _ in range(shape[batch])],
    }
    if (batch, sequence) != (0, 1) or draw.boolean():
        given["batch_axis"] = batch - draw.choice([0, rank])
        given["seq_axis"] = sequence - draw.choice([0, rank])
    return given


@ReverseSequence.rule(
    "batch_axis is in [-rank(data), rank(data))",
    broken=[{"batch_axis": 4}, {"batch_axis": -5}],
)
def batch_axis_exists(layer):
    return -layer.data.rank <= layer.batch_axis < layer.data.rank


@ReverseSequence.rule(
    "seq_axis is in [-rank(data), rank(data))", broken=[{"seq_axis": 4}, {"seq_axis": -5}]
)
def seq_axis_exists(layer):
    return -layer.data.rank <= layer.seq_axis < layer.data.rank


# Never asked as an invalid layer: the page does not say that they differ, but they cannot be one.
@ReverseSequence.rule("batch_axis and seq_axis are two axes")
def two_axes(layer):
    axes = range(layer.data.rank)
    return axes[layer.batch_axis] != axes[layer.seq_axis]


@ReverseSequence.rule(
    "seq_lengths has data_shape[batch_axis] elements",
    broken=[{"seq_lengths": [4, 2]}, {"seq_lengths": [4, 2, 3, 1]}, {"data": [4, 4, 5, 2]}],
)
def one_length_for_each_slice(layer):
    return layer.seq_lengths.shape == (layer.data.shape[layer.batch_axis],)


@ReverseSequence.rule(
    "seq_lengths are in [1, data_shape[seq_axis]]",
    broken=[
        {"seq_lengths": [4, 6, 3]},
        {"seq_lengths": [0, 2, 3]},
        {"seq_lengths": [4, 2, -1]},
    ],
)
def lengths_fit(layer):
    return all(1 <= n <= layer.data.shape[layer.seq_axis] for n in layer.seq_lengths.value)
