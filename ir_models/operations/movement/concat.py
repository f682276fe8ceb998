"""Concat: tensors one after another along an axis (page Concat-1)."""

from ir_models.declaration import Attribute, Input, Operation, Output, at_least, example
from ir_models.element_types import NUMERIC, f32, types

T = types("T", NUMERIC)

# The comments of both examples add 8 + 16 + 32 up to 48; the stated dimension of 56 is right.
_INPUTS = (f32[1, 8, 50, 50], f32[1, 16, 50, 50], f32[1, 32, 50, 50])

Concat = Operation(
    "Concat-1",
    opset="opset1",
    inputs=[Input("data", T, at_least(1), many=True)],
    outputs=[Output("y", T)],
    attributes=[Attribute("axis", int, required=True)],
    examples=[
        example(data=_INPUTS, axis=1, output=[1, 56, 50, 50], ports=[0, 1, 2, 0]),
        example(data=_INPUTS, axis=-3, output=[1, 56, 50, 50], ports=[0, 1, 2, 0]),
    ],
    variants={
        "axis": [
            {"data": [[3, 2, 5, 4], [6, 2, 5, 4], [1, 2, 5, 4]], "axis": 0},
            {"data": [[2, 3, 5, 4], [2, 3, 1, 4], [2, 3, 7, 4]], "axis": 2},
            {"data": [[2, 3, 4, 5], [2, 3, 4, 1], [2, 3, 4, 7]], "axis": 3},
        ],
        "negative-axis": [
            {"data": [[3, 2, 5, 4], [6, 2, 5, 4], [1, 2, 5, 4]], "axis": -4},
            {"axis": -3},
            {"data": [[2, 3, 5, 4], [2, 3, 1, 4], [2, 3, 7, 4]], "axis": -2},
            {"data": [[2, 3, 4, 5], [2, 3, 4, 1], [2, 3, 4, 7]], "axis": -1},
        ],
        "number-of-inputs": [
            {"data": [[2, size, 5, 4] for size in sizes]}
            for sizes in ([6], [3, 3], [4, 1, 2, 3], [1, 2] * 8, [1] * 100)
        ],
        "empty-part": [
            {"data": [[2, size, 5, 4] for size in sizes]}
            for sizes in ([0, 3, 2], [3, 0], [2, 0, 3])
        ],
    },
)


@Concat.plain
def plain(rank=4):
    """Three tensors that differ along the axis, which is the second one where there is a second."""
    shape = [2, 3, 5, 4, 3, 2, 1, 2][:rank]
    axis = min(1, rank - 1)
    inputs = [[*shape[:axis], size, *shape[axis + 1 :]] for size in (3, 1, 6)]
    return {"data": inputs, "axis": axis}


@Concat.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=4)
    axis = draw.integer(0, rank - 1)
    sizes = draw.shape(draw.integer(1, 5), most=4)
    return {
        "data": [[*shape[:axis], size, *shape[axis + 1 :]] for size in sizes],
        "axis": axis - rank if draw.boolean() else axis,
    }


@Concat.rule("axis is from -R to R - 1", broken=[{"axis": 4}, {"axis": -5}])
def axis_in_range(layer):
    rank = layer.data[0].rank
    return -rank <= layer.axis < rank


@Concat.rule(
    "all tensors have the same rank",
    broken=[
        {"data": [[2, 3, 5, 4], [2, 1, 5], [2, 6, 5, 4]]},
        {"data": [[2, 3, 5, 4], [2, 1, 5, 4, 1]]},
    ],
)
def same_rank(layer):
    return len({tensor.rank for tensor in layer.data}) == 1


@Concat.rule(
    "all shapes match but at axis",
    broken=[
        {"data": [[2, 3, 5, 4], [2, 1, 5, 3], [2, 6, 5, 4]]},
        {"data": [[2, 3, 5, 4], [1, 1, 5, 4]]},
        {"axis": 2},
    ],
)
def shapes_match(layer):
    first = layer.data[0]
    if any(tensor.rank != first.rank for tensor in layer.data) or not axis_in_range(layer):
        return True  # other rules
    axis = layer.axis % first.rank
    return len({tensor.shape[:axis] + tensor.shape[axis + 1 :] for tensor in layer.data}) == 1
