"""Reshape: the same elements in another shape (page Reshape-1)."""

from math import prod

from ir_models.declaration import *

T = types("T", "any numeric type")
T_SHAPE = types("T_SHAPE", "any supported integer type")


def dimensions_valid(layer):
    shape = layer.shape.value
    return min(shape, default=0) >= -1 and shape.count(-1) <= 1


def copied_dimensions_exist(layer):
    last = max((i for i, size in enumerate(layer.shape.value) if size == 0), default=-1)
    return not layer.special_zero or last < layer.data.rank


def same_volume(layer):
    shape, data = layer.shape.value, layer.data.shape
    if layer.special_zero is None or not (
        dimensions_valid(layer) and copied_dimensions_exist(layer)
    ):
        return True  # other rules
    if layer.special_zero:
        shape = tuple(data[i] if size == 0 else size for i, size in enumerate(shape))
    if -1 not in shape:
        return prod(shape) == prod(data)
    known = -prod(shape)
    return known > 0 and prod(data) % known == 0


Reshape = Operation(
    "Reshape-1",
    "opset1",
    inputs=[Input("data", T), Index("shape", T_SHAPE)],
    outputs=[Output("y", T)],
    attributes=[Attribute("special_zero", bool, required=True)],
    examples=examples("""
        data=f32[2,5,5,0]; shape=0,4; special_zero=false -> [0,4]
        data=f32[2,5,5,24]; shape=0,-1,4; special_zero=true -> [2,150,4]
        data=f32[2,2,3]; shape=0,0,1,-1; special_zero=true -> [2,2,1,3]
        data=f32[3,1,1]; shape=-1,0; special_zero=true -> [3,1]
        data=f32[3,1,1]; shape=0,-1; special_zero=true -> [3,1]
    """),
    rules=[
        rule(
            "a dimension is -1 or not negative, and at most one is -1",
            dimensions_valid,
            ["shape=-1,-1,2|0,-2,2", "shape=-1,-1,20; special_zero=false"],
        ),
        rule(
            "special_zero: the index of a 0 is less than the rank of data",
            copied_dimensions_exist,
            "shape=3,2,5,4,1,0|0,-1,2,1,1,0",
        ),
        rule(
            "the output has as many elements as data, and -1 can be calculated",
            same_volume,
            ["shape=0,-1,7|3,2,5,5|0,2,5,0,2|[]", "shape=2,-1,7|3,2,5,3|0,40; special_zero=false"],
        ),
    ],
    variants=variants("""
        numbers-alone: every dimension is given
            shape=6,20|120|4,5,2,3|5,1,24|1,2,3,1,4,5,1; special_zero=false|true
        remainder: -1 is calculated
            shape=-1|-1,5,6|5,-1,6|5,6,-1|2,60,-1|-1,1,120; special_zero=false|true
        copied-dimension: 0 copies the dimension of data in its place
            shape=0,0,0,0|0,0,20|30,0,2|6,1,0,4|1,6,0,0|0,10,1,0|0,40|3,2,-1,0
        unsigned-shape: any integer type
            shape=u8:0,20,2|u16:0,20,2|u32:0,20,2|u64:0,20,2
        scalar: one element, with and without dimensions
            data=[]; shape=[]; special_zero=false|true
            data=[1,1]; shape=[]
            data=[]; shape=1,1,1|-1
        empty-data (may be empty): 0 as a dimension, given and copied
            data=[2,0,4]; shape=0,3|7,0|0,0,0|3,-1; special_zero=false
            data=[2,0,4]; shape=0,0,5|0,-1,2; special_zero=true
    """),
    readings=[
        Reading(
            "a 0 in shape where special_zero is true: its place is 'not larger than the rank' of data",
            "Its place is less than the rank.",
            "At the rank itself there is no dimension to copy either.",
            "slip",
        ),
    ],
)


@Reshape.plain
def plain(rank=4):
    """The first dimension copied, the second calculated, the third given."""
    return {
        "data": [3, 2, 5, 4, 2, 1, 3, 2][:rank],
        "shape": {0: [1, -1], 1: [0, -1]}.get(rank, [0, -1, 2]),
        "special_zero": True,
    }


@Reshape.random
def layer(draw):
    factors = [draw.choice([1, 2, 2, 3, 5]) for _ in range(draw.integer(0, 6))]
    data = grouped(draw, factors)
    shape = grouped(draw, [factors[i] for i in draw.permutation(len(factors))])
    special_zero = draw.boolean()
    if special_zero:
        same = [i for i, (size, old) in enumerate(zip(shape, data, strict=False)) if size == old]
        for axis in draw.subset(same):
            shape[axis] = 0
    if shape and draw.boolean():
        shape[draw.integer(0, len(shape) - 1)] = -1
    return {"data": data, "shape": shape, "special_zero": special_zero}


def grouped(draw, factors):
    """Dimensions with the product of the factors, some of them multiplied together, some of 1 put in between."""
    dimensions = []
    for factor in factors:
        if dimensions and draw.boolean():
            dimensions[-1] *= factor
        else:
            dimensions.append(factor)
    if draw.integer(0, 3) == 0:
        dimensions.insert(draw.integer(0, len(dimensions)), 1)
    return dimensions


@Reshape.adapt
def given_alone(layer):
    """Every dimension given: of data without elements -1 cannot be calculated."""
    return {"shape": [layer.data.shape[0], prod(layer.data.shape[1:])], "special_zero": False}
