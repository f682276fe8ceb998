"""Split: pieces of one length along an axis (page Split-1)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    at_least,
    exactly,
    example,
)
from ir_models.element_types import ANY, INTEGERS, f32, types

T = types("T", ANY)
T_AXIS = types("T_AXIS", INTEGERS)

Split = Operation(
    "Split-1",
    opset="opset1",
    # The page says an arbitrary shape; a scalar has no axis to split.
    inputs=[Input("data", T, at_least(1)), Index("axis", T_AXIS, exactly(0))],
    # One at least, so that a device that takes a wrong num_splits has something to answer.
    outputs=[Output("y", T, count=lambda layer: max(layer.num_splits or 0, 1))],
    attributes=[Attribute("num_splits", int, required=True, least=1)],
    examples=[
        example(
            data=f32[6, 12, 10, 24],
            axis=1,
            num_splits=3,
            output=[[6, 4, 10, 24]] * 3,
            ports=[0, 1, 2, 3, 4],
        )
    ],
    variants={
        "axis": [
            {"data": [6, 2, 5, 4], "axis": 0},
            {"data": [2, 5, 6, 4], "axis": 2},
            {"data": [2, 5, 4, 6], "axis": 3},
        ],
        "negative-axis": [
            {"data": [6, 2, 5, 4], "axis": -4},
            {"axis": -3},
            {"data": [2, 5, 6, 4], "axis": -2},
            {"data": [2, 5, 4, 6], "axis": -1},
        ],
        "number-of-outputs": [{"num_splits": number} for number in (1, 2, 6)]
        + [{"data": [2, 100, 3], "num_splits": 100}],
    },
)


@Split.plain
def plain(rank=4):
    """Three pieces of two along the second axis, where there is a second."""
    axis = min(1, rank - 1)
    shape = [3, 0, 5, 4, 3, 2, 1, 2][:rank]
    shape[axis] = 6
    return {"data": shape, "axis": axis, "num_splits": 3}


@Split.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    num_splits = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    shape[axis] = num_splits * draw.integer(1, 4)
    return {
        "data": shape,
        "axis": axis - rank if draw.boolean() else axis,
        "num_splits": num_splits,
    }


@Split.rule("axis is from -rank(data) to rank(data) - 1", broken=[{"axis": 4}, {"axis": -5}])
def axis_in_range(layer):
    return -layer.data.rank <= layer.axis.value < layer.data.rank


@Split.rule(
    "num_splits is at most data.shape[axis] and divides it",
    broken=[{"num_splits": 4}, {"num_splits": 12}, {"num_splits": 7}, {"data": [3, 7, 5, 4]}],
)
def divides(layer):
    size = layer.data.shape[layer.axis.value]
    return layer.num_splits < 1 or (layer.num_splits <= size and size % layer.num_splits == 0)
