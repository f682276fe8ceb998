"""VariadicSplit: pieces of given lengths along an axis (page VariadicSplit-1)."""

from ir_models.declaration import Index, Input, Operation, Output, at_least, between, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T1 = types("T1", ANY)
T2 = types("T2", INTEGERS)


def _pieces(layer):
    """How many outputs; an invalid layer may lack split_lengths."""
    return layer.split_lengths.size if layer.split_lengths else 1


VariadicSplit = Operation(
    "VariadicSplit-1",
    opset="opset1",
    inputs=[
        # The page says an arbitrary shape; a scalar has no axis to split.
        Input("data", T1, at_least(1)),
        Index("axis", T2, between(0, 1)),
        Index("split_lengths", T2),
    ],
    outputs=[Output("y", T1, count=_pieces)],
    examples=[
        example(
            data=f32[6, 12, 10, 24],
            axis=0,
            split_lengths=[1, 2, 3],
            output=[[1, 12, 10, 24], [2, 12, 10, 24], [3, 12, 10, 24]],
            ports=[0, 1, 2, 3, 4, 5],
        ),
        example(
            data=f32[6, 12, 10, 24],
            axis=0,
            split_lengths=[-1, 2],
            output=[[4, 12, 10, 24], [2, 12, 10, 24]],
            ports=[0, 1, 2, 3, 4],
        ),
    ],
    variants={
        "axis": [
            {"data": [7, 2, 5, 4], "axis": 0},
            {"data": [2, 5, 7, 4], "axis": 2},
            {"data": [2, 5, 4, 7], "axis": 3},
        ],
        "negative-axis": [
            {"data": [7, 2, 5, 4], "axis": -4},
            {"axis": -3},
            {"data": [2, 5, 7, 4], "axis": -2},
            {"data": [2, 5, 4, 7], "axis": -1},
        ],
        "axis-as-1d": [{"axis": [1]}, {"axis": [-3]}],
        "remainder": [
            {"split_lengths": lengths} for lengths in ([-1, 1, 4], [2, -1, 4], [2, 1, -1], [-1])
        ],
        "number-of-outputs": [
            {"split_lengths": [7]},
            {"split_lengths": [3, 4]},
            {"split_lengths": [1] * 7},
        ],
        "empty-part": [
            {"split_lengths": lengths}
            for lengths in ([0, 3, 4], [3, 0, 4], [3, 4, 0], [2, 5, -1], [-1, 7])
        ],
    },
)


@VariadicSplit.plain
def plain(rank=4):
    """Three different lengths along the second axis, where there is a second."""
    axis = min(1, rank - 1)
    shape = [3, 0, 5, 4, 3, 2, 1, 2][:rank]
    shape[axis] = 7
    return {"data": shape, "axis": axis, "split_lengths": [2, 1, 4]}


@VariadicSplit.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    lengths = [
        draw.integer(0 if draw.integer(0, 9) == 0 else 1, 4) for _ in range(draw.integer(1, 5))
    ]
    lengths[0] = max(lengths[0], 1)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    shape[axis] = sum(lengths)
    if draw.integer(0, 2) == 0:
        lengths[draw.integer(0, len(lengths) - 1)] = -1
    axis = axis - rank if draw.boolean() else axis
    return {
        "data": shape,
        "axis": [axis] if draw.integer(0, 3) == 0 else axis,
        "split_lengths": lengths,
    }


@VariadicSplit.rule("axis is one number", broken={"axis": [1, 1]})
def axis_is_one_number(layer):
    return layer.axis.size == 1


def _axis(layer):
    return layer.axis.value[0] if layer.axis.rank else layer.axis.value


@VariadicSplit.rule(
    "axis is from -rank(data) to rank(data) - 1", broken=[{"axis": 4}, {"axis": -5}]
)
def axis_in_range(layer):
    return -layer.data.rank <= _axis(layer) < layer.data.rank


@VariadicSplit.rule(
    "a length is -1 or not negative, and at most one is -1",
    broken=[{"split_lengths": [-1, 2, -1]}, {"split_lengths": [2, -2, 7]}],
)
def lengths_valid(layer):
    lengths = layer.split_lengths.value
    return min(lengths) >= -1 and lengths.count(-1) <= 1


@VariadicSplit.rule(
    "split_lengths add up to data.shape[axis], -1 standing for what remains",
    broken=[
        {"split_lengths": [2, 1, 3]},
        {"split_lengths": [2, 1, 5]},
        {"split_lengths": [2, -1, 6]},
        {"data": [3, 8, 5, 4]},
    ],
)
def lengths_add_up(layer):
    size, lengths = layer.data.shape[_axis(layer)], layer.split_lengths.value
    if not lengths_valid(layer):
        return True
    if -1 in lengths:
        return sum(lengths) + 1 <= size
    return sum(lengths) == size
