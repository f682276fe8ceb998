"""CumSum: sums of all elements so far along an axis (page CumSum-3)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Interval,
    Operation,
    Output,
    Within,
    at_least,
    exactly,
    example,
)
from ir_models.element_types import NUMERIC, f32, i32, i64, types

T = types("T", NUMERIC)
T_AXIS = types("T_AXIS", i64, i32)


def axis_of(layer):
    """The axis from 0; any axis for a layer whose axis is wrong."""
    axis = layer.axis.value if layer.axis is not None else 0
    return axis % max(layer.data.rank, 1)


def summands(layer, kind):
    """Integers of which the sum along the axis fits."""
    if not kind.is_integer:
        return None
    count = max(layer.data.shape[axis_of(layer)] if layer.data.rank else 1, 1)
    low, high = kind.integer_range
    return Interval(-(min(-low, 2**31) // count), min(high, 2**31 - 1) // count)


CumSum = Operation(
    "CumSum-3",
    opset="opset3",
    inputs=[
        Input("data", T, at_least(1), values=Within(summands)),
        Index("axis", T_AXIS, exactly(0), optional=True),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("exclusive", bool, default=False),
        Attribute("reverse", bool, default=False),
    ],
    examples=[
        example(
            data=f32.tensor([1.0, 2.0, 3.0, 4.0, 5.0]),
            axis=0,
            exclusive=exclusive,
            reverse=reverse,
            output=[5],
            ports=[0, 1, 2],
        )
        for exclusive, reverse in ((False, False), (True, False), (False, True), (True, True))
    ],
    variants={
        "negative-axis": [{"axis": -1}, {"axis": -2}, {"axis": -4}],
        "axis": [{"axis": axis} for axis in range(4)],
        "both-flags": [{"axis": axis, "exclusive": True, "reverse": True} for axis in (0, 1, 2, 3)],
        "long-axis": [
            {"data": [2, 3000], "axis": 1},
            {"data": [1500, 3], "axis": 0, "reverse": True},
            {"data": [4001], "axis": 0, "exclusive": True},
        ],
    },
)


@CumSum.plain
def plain(rank=4):
    axis = [0, 0, 1, 1, 2, 3, 2, 5, 6][rank]
    shape = [3, 2, 5, 4, 2, 3, 1, 2][:rank]
    return {"data": shape, "axis": axis, "exclusive": False, "reverse": False}


@CumSum.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.choice([None, *range(-rank, rank)])
    shape = draw.shape(rank, most=3 if rank > 4 else 6)
    # One element alone has nothing to add.
    shape[axis or 0] += 1
    return {
        "data": shape,
        "axis": axis,
        "exclusive": draw.choice([None, False, True]),
        "reverse": draw.choice([None, False, True]),
    }


@CumSum.rule("axis is in [-rank(data), rank(data))", broken=[{"axis": 4}, {"axis": -5}])
def axis_exists(layer):
    return layer.axis is None or -layer.data.rank <= layer.axis.value < layer.data.rank
