"""LRN: data over a power of the squares around them (page LRN-1)."""

from ir_models.declaration import *

T = types("T", "any supported floating-point type")
T_IND = types("T_IND", "any supported integer type")

LRN = Operation(
    "LRN-1",
    "opset1",
    inputs=[
        Input("data", T, ANY_RANK, values=Interval(-2.0, 6.0)),
        Index("axes", T_IND, axis_of="data", least=0, distinct=True),
    ],
    outputs=[Output("y", T)],
    mixes=True,
    attributes=[
        Attribute("alpha", float, required=True),
        Attribute("beta", float, required=True),
        Attribute("bias", float, required=True),
        Attribute("size", int, required=True, least=1),
    ],
    examples=examples("""
        data=f32[6,12,10,24]; axes=1; alpha=1.0e-04; beta=0.75; size=5; bias=1.0 -> [6,12,10,24]
    """),
    rules=[
        rule("beta is positive", lambda layer: layer.beta > 0, "beta=0.0|-0.75"),
        rule(
            "the base of the power is positive",
            lambda layer: layer.bias > 0 and layer.alpha >= 0,
            unasked="'no restrictions' on alpha and bias; a power of 0 or of a negative number is not defined",
        ),
    ],
    unasked={
        "axes are different": "the page does not say what a repeated axis means",
        "axes is from": "the page has indices of dimensions, and does not say whether -1 is one",
    },
    variants=variants("""
        axes: any axes
            axes=0|1|3|2,3|1,2,3|0,1
        all-axes: all axes
            axes=0,1,2,3
        axes-in-any-order: axes have no order
            axes=3,1|2,0,3
        no-axes: a region without dimensions is the element itself
            axes=[]
        size: one element, and regions that are larger than data
            size=1|3|5|7|9|21; axes=1|2,3
        even-size: size / 2 elements on both sides
            size=2|4|6; axes=1|2,3
        alpha: the weight of the squares
            alpha=0.0|0.0001|10.0
        beta: roots, whole and fractional powers
            beta=0.25|0.5|0.75|1.0|1.5|2.0
        bias: beside the squares
            bias=0.001|0.25|1.5|100.0
        zeros: data / bias ** beta
            data=f32:[[[0.0,1.0,3.0],[0.0,-2.0,4.0]]]; axes=1; size=3
        many-terms: regions of many elements
            data=[2,80,9]; axes=1; size=41|81
            data=[2,3,40,36]; axes=2,3; size=13
    """),
    readings=[
        Reading(
            "(bias + alpha / size^len(axes) · sum of data_i)^beta, against sqr_sum = sum(data[...] ** 2)",
            "The squares are added up.",
            "The code, which is the more exact; the sum of data may be negative.",
            "contradiction",
        ),
        Reading(
            "b - size / 2 : b + size / 2 + 1, against 'a region of a side length size', where size is even",
            "size / 2 is that of whole numbers: the region has size / 2 elements on both sides.",
            "The code; 'centered at the input value'.",
            "contradiction",
            admits="A region of size elements.",
        ),
        Reading(
            "empty axes",
            "The element itself is the region: its square is added up.",
            "'number of dimensions equal to number of axes'; size ** 0 is 1.",
            "silence",
            admits="An answer of its own.",
        ),
    ],
)


@LRN.plain
def plain(rank=4):
    """A region that is smaller than data, along the axis of the example."""
    return {
        "data": [2, 5, 4, 3, 2, 3, 1, 2][:rank],
        "axes": [min(rank - 1, 1)] if rank else [],
        "alpha": 1.5,
        "beta": 0.75,
        "bias": 2.0,
        "size": 3,
    }


@LRN.random
def layer(draw):
    rank = draw.integer(0, 6)
    some = draw.subset(range(rank), least=min(rank, 1))
    return {
        "data": draw.shape(rank, most=3 if rank > 4 else 6),
        "axes": draw.choice([[1], list(range(2, rank)), some]) if rank > 2 else some,
        "alpha": draw.choice([0.0001, 0.25, 1.0, 3.0]),
        "beta": draw.choice([0.5, 0.75, 1.0, 1.25]),
        "bias": draw.choice([0.5, 1.0, 1.5, 2.0]),
        "size": draw.integer(1, 4) * 2 - 1 if draw.boolean() else draw.integer(1, 6),
    }
