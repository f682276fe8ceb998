"""Split: pieces of one length along an axis (page Split-1)."""

import math

from ir_models.declaration import *
from ir_models.families.indices import axis_variants, size_along_axis, with_axis

T = types("T", "any arbitrary supported type")
T_AXIS = types("T_AXIS", "any integer type")


def divides(layer):
    size = layer.data.shape[layer.axis.value]
    return layer.num_splits < 1 or (layer.num_splits <= size and size % layer.num_splits == 0)


Split = Operation(
    "Split-1",
    "opset1",
    inputs=[
        Input("data", T, at_least(1)),
        Index("axis", T_AXIS, shape="scalar", axis_of="data"),
    ],
    # One at least, so that a device that takes a wrong num_splits has something to answer.
    outputs=[Output("y", T, count=lambda layer: max(layer.num_splits or 0, 1))],
    attributes=[Attribute("num_splits", int, required=True, least=1)],
    examples=[example("data=f32[6,12,10,24]; axis=1; num_splits=3", output=[[6, 4, 10, 24]] * 3)],
    rules=[
        rule(
            "num_splits is at most data.shape[axis] and divides it",
            divides,
            ["num_splits=4|12|7", "data=[3,7,5,4]"],
        )
    ],
    variants=[
        *axis_variants(4, {a: {"data": with_axis([2, 5, 4], a, 6)} for a in (0, 2, 3)}),
        *variants("""
            number-of-outputs: one, some, and as many as there are elements
                num_splits=1|2|6
                data=[2,100,3]; num_splits=100
            two-bytes: half of a 32-bit word for an element, where a piece is a batch element
                data=bf16[3,4,5]|f16[3,4,5]|i16[3,4,5]; axis=0; num_splits=3
        """),
    ],
    readings=[
        Reading(
            "data of 'arbitrary shape', axis from -rank to rank - 1",
            "data has a rank of at least 1.",
            "A scalar has no axis to split.",
            "contradiction",
        ),
    ],
)


@Split.plain
def plain(rank=4):
    """Three pieces of two along the second axis, where there is a second."""
    axis = min(1, rank - 1)
    shape = with_axis([3, 5, 4, 3, 2, 1, 2][: rank - 1], axis, 6)
    return {"data": shape, "axis": axis, "num_splits": 3}


@Split.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    num_splits = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    shape[axis] = num_splits * draw.integer(1, 4)
    axis = axis - rank if draw.boolean() else axis
    return {"data": shape, "axis": axis, "num_splits": num_splits}


@Split.adapt
def number_that_divides(layer):
    return {"num_splits": math.gcd(layer.num_splits, size_along_axis(layer))}
