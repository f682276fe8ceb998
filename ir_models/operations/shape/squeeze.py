"""Squeeze: dimensions of 1 taken away (pages Squeeze-1, Squeeze-15)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    at_least,
    between,
    example,
)
from ir_models.element_types import INTEGERS, NUMERIC, f32, types

T = types("T", NUMERIC)
T_INT = types("T_INT", INTEGERS)

_INPUTS = [Input("data", T, at_least(1)), Index("axes", T_INT, between(0, 1), optional=True)]

_VARIANTS = {
    "scalar-axes": [{"axes": axis} for axis in (0, 2, 4, -1, -3, -5)],
    "one-axis": [{"axes": [axis]} for axis in (0, 2, 4)],
    "negative-axis": [{"axes": axes} for axes in ([-1], [-5], [-1, -3], [0, -1], [-3, 0])],
    "unsorted-axes": [{"axes": axes} for axes in ([4, 0], [2, 0], [4, 0, 2], [-1, 0])],
    "every-axis-of-1": [{"axes": [0, 2, 4]}, {"data": [1, 1, 1], "axes": [0, 1, 2]}],
    # A dimension that is not 1 is ignored and stays.
    "axis-not-1": [
        {"axes": axes} for axes in ([1], [3], [-2], [0, 1], [1, 2, 3], [3, 4], [0, 1, 2, 3, 4])
    ]
    + [{"axes": 1}, {"data": [3, 5], "axes": [0]}],
    "no-axes": [
        {"data": data, "axes": None} for data in ([1], [3], [1, 1], [3, 5], [1, 3, 1, 1], [3, 1, 5])
    ],
    # The note on dynamic shapes treats empty indices as none at all: every dimension of 1 goes.
    "empty-axes": [{"axes": []}, {"data": [3, 1, 5], "axes": []}],
    "empty-data": [{"data": [1, 0, 3], "axes": axes} for axes in ([0, 1], None)],
}


def _axes(layer):
    """The axes as numbers from 0; None where none are given."""
    if layer.axes is None or layer.axes.size == 0:
        return None
    given = layer.axes.value if layer.axes.rank else (layer.axes.value,)
    return {axis % layer.data.rank for axis in given}


def _stays_squeezable(first, second):
    """An unknown dimension that constant axes point at counts as 1, so that it must be 1 every time."""
    if second.operation is Squeeze15 and second.allow_axis_skip:
        return True
    squeezed = {axis for axis in _axes(first) or () if first.data.shape[axis] == 1}
    return all(second.data.shape[axis] == 1 for axis in squeezed)


Squeeze1 = Operation(
    "Squeeze-1",
    opset="opset1",
    inputs=_INPUTS,
    outputs=[Output("y", T)],
    examples=[
        example(data=f32[1, 3, 1, 2], axes=[0, 2], output=[3, 2], ports=[0, 1, 2]),
        example(data=f32[1], axes=[0], output=[], ports=[0, 1, 2]),
    ],
    variants=_VARIANTS,
    resizable=_stays_squeezable,
)

Squeeze15 = Operation(
    "Squeeze-15",
    opset="opset15",
    inputs=_INPUTS,
    outputs=[Output("y", T)],
    attributes=[Attribute("allow_axis_skip", bool, default=False)],
    examples=[
        example(
            data=f32[1, 3, 1, 2],
            axes=[0, 2],
            allow_axis_skip=False,
            output=[3, 2],
            ports=[0, 1, 2],
        ),
        example(data=f32[1], axes=[0], allow_axis_skip=False, output=[], ports=[0, 1, 2]),
        # From here on the page has a dimension of -1. Here it is 1, so that the output is a scalar ...
        example(data=f32[1], axes=[0], allow_axis_skip=True, output=None, ports=[0, 1, 2]),
        # ... here 1, as the page assumes ...
        example(data=f32[2, 1], axes=[1], allow_axis_skip=False, output=[2], ports=[0, 1, 2]),
        # ... and here 3, so that it is not squeezed.
        example(data=f32[2, 3], axes=[1], allow_axis_skip=True, output=None, ports=[0, 1, 2]),
    ],
    variants={
        **_VARIANTS,
        "no-axis-skip": [
            {"allow_axis_skip": False, "axes": axes} for axes in ([0, 2], [1], [0, 1], None)
        ],
    },
    resizable=_stays_squeezable,
)


@Squeeze1.plain
def plain_1(rank=5):
    """Some dimensions of 1 that axes name, one that they do not, where the rank allows it."""
    axes = [0, 2] if rank > 2 else [0]
    return {"data": [1, 3, 1, 4, 1, 2, 5, 2][:rank], "axes": axes}


@Squeeze15.plain
def plain_15(rank=5):
    return {**plain_1(rank), "allow_axis_skip": True}


@Squeeze1.random
def layer_1(draw):
    rank = draw.integer(1, 7)
    data = [1 if draw.boolean() else size for size in draw.shape(rank, least=2, most=5)]
    if draw.integer(0, 4) == 0:
        return {"data": data}
    axes = [a - rank if draw.boolean() else a for a in draw.subset(range(rank), 1)]
    return {"data": data, "axes": axes[0] if draw.integer(0, 3) == 0 else axes}


@Squeeze15.random
def layer_15(draw):
    return {**layer_1(draw), "allow_axis_skip": draw.choice([False, True, None])}


_OUT_OF_RANGE: list[dict[str, object]] = [
    {"axes": [0, 5]},
    {"axes": [-6, 2]},
    {"axes": 5},
    {"axes": -6},
]


@Squeeze1.rule("axes are from -R to R - 1", broken=_OUT_OF_RANGE)
@Squeeze15.rule("axes are from -R to R - 1", broken=_OUT_OF_RANGE)
def axes_in_range(layer):
    axes = layer.axes.value if layer.axes.rank else (layer.axes.value,)
    return all(-layer.data.rank <= a < layer.data.rank for a in axes)
