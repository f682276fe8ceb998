"""VariadicSplit: pieces of given lengths along an axis (page VariadicSplit-1)."""

from ir_models.declaration import *
from ir_models.families.indices import axis_variants, size_along_axis, with_axis

T1 = types("T1", "any arbitrary supported type")
T2 = types("T2", "any integer type")


def pieces(layer):
    """How many outputs; an invalid layer may lack split_lengths."""
    return layer.split_lengths.size if layer.split_lengths else 1


def lengths_are_valid(layer):
    lengths = layer.split_lengths.value
    return min(lengths) >= -1 and lengths.count(-1) <= 1


def lengths_add_up(layer):
    (axis,) = axes_of(layer, "axis")
    size, lengths = layer.data.shape[axis], layer.split_lengths.value
    if not lengths_are_valid(layer):
        return True
    return sum(lengths) + 1 <= size if -1 in lengths else sum(lengths) == size


VariadicSplit = Operation(
    "VariadicSplit-1",
    "opset1",
    inputs=[
        Input("data", T1, at_least(1)),
        Index("axis", T2, shape="scalar or 1", axis_of="data"),
        Index("split_lengths", T2),
    ],
    outputs=[Output("y", T1, count=pieces)],
    examples=examples("""
        data=f32[6,12,10,24]; axis=0; split_lengths=1,2,3 -> [1,12,10,24],[2,12,10,24],[3,12,10,24]
        data=f32[6,12,10,24]; axis=0; split_lengths=-1,2 -> [4,12,10,24],[2,12,10,24]
    """),
    rules=[
        rule(
            "a length is -1 or not negative, and at most one is -1",
            lengths_are_valid,
            "split_lengths=-1,2,-1|2,-2,7",
        ),
        rule(
            "split_lengths add up to data.shape[axis], -1 standing for what remains",
            lengths_add_up,
            ["split_lengths=2,1,3|2,1,5|2,-1,6", "data=[3,8,5,4]"],
        ),
    ],
    violations=["axis=[1,1]"],
    variants=[
        *axis_variants(4, {a: {"data": with_axis([2, 5, 4], a, 7)} for a in (0, 2, 3)}, as_1d=True),
        *variants("""
            remainder: -1 is what remains
                split_lengths=-1,1,4|2,-1,4|2,1,-1|-1
            number-of-outputs: one, two, and as many as there are elements
                split_lengths=7|3,4|1,1,1,1,1,1,1
            empty-part: a length may be 0
                split_lengths=0,3,4|3,0,4|3,4,0|2,5,-1|-1,7
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


@VariadicSplit.plain
def plain(rank=4):
    """Three different lengths along the second axis, where there is a second."""
    axis = min(1, rank - 1)
    shape = with_axis([3, 5, 4, 3, 2, 1, 2][: rank - 1], axis, 7)
    return {"data": shape, "axis": axis, "split_lengths": [2, 1, 4]}


@VariadicSplit.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    count = draw.integer(1, 5)
    lengths = [draw.integer(0 if draw.integer(0, 9) == 0 else 1, 4) for _ in range(count)]
    lengths[0] = max(lengths[0], 1)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    shape[axis] = sum(lengths)
    if draw.integer(0, 2) == 0:
        lengths[draw.integer(0, len(lengths) - 1)] = -1
    axis = axis - rank if draw.boolean() else axis
    axis = [axis] if draw.integer(0, 3) == 0 else axis
    return {"data": shape, "axis": axis, "split_lengths": lengths}


@VariadicSplit.adapt
def lengths_that_fit(layer):
    first, left = layer.split_lengths.value[0], size_along_axis(layer)
    return {"split_lengths": [min(first, left), 0, max(left - first, 0)]}
