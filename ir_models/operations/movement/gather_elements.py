"""GatherElements: elements along an axis, each by an index of its own (page GatherElements-6)."""

from ir_models.declaration import *
from ir_models.families.indices import (
    anywhere_along_axis,
    axis_of,
    axis_variants,
    in_range,
    size_along_axis,
)

T = types("T", "any supported type")
T_IND = types("T_IND", "int32 or int64")


def has_shape_of_data(layer):
    (axis,) = axes_of(layer, "axis")
    pairs = enumerate(zip(layer.data.shape, layer.indices.shape, strict=True))
    return all(d == i for place, (d, i) in pairs if place != axis)


# For axes that are not that of the plain layer.
INDICES = {0: [5, 5, 3, 4], 2: [2, 5, 4, 4], 3: [2, 5, 3, 6]}

GatherElements = Operation(
    "GatherElements-6",
    "opset6",
    inputs=[
        Input("data", T, at_least(1)),
        Input("indices", T_IND, at_least(1), values=anywhere_along_axis),
    ],
    outputs=[Output("output", T)],
    attributes=[Attribute("axis", int, required=True, axis_of="data")],
    examples=examples("""
        data=f32:[[1,2],[3,4]]; indices=i64:[[0,1],[0,0]]; axis=0 -> [2,2] = [[1,4],[1,2]]
        data=f32:[[1,7],[4,3]]; indices=i64:[[1,1,0],[1,0,1]]; axis=1 -> [2,3] = [[7,7,1],[3,4,3]]
        data=f32:[[1,2,3],[4,5,6],[7,8,9]]; indices=i64:[[1,0,1],[1,2,0]]; axis=0
            -> [2,3] = [[4,2,6],[4,8,3]]
        data=f32[3,7,5]; indices=i64[3,10,5]; axis=1 -> [3,10,5]
    """),
    rules=[
        rule(
            "indices has the rank of data",
            lambda layer: layer.indices.rank == layer.data.rank,
            "indices=[2,7,3]",
        ),
        rule(
            "indices has the shape of data except along axis",
            has_shape_of_data,
            "indices=[1,7,3,4]|[2,7,4,4]|[2,7,3,5]",
        ),
        rule(
            "indices are in [-data.shape[axis], data.shape[axis] - 1]",
            lambda layer: in_range(layer.indices, size_along_axis(layer), from_end=True),
            "data=[2,5]; indices=i64:[[4,5],[0,1]]|i64:[[4,0],[0,-6]]",
        ),
    ],
    variants=[
        *axis_variants(4, {a: {"indices": each} for a, each in INDICES.items()}),
        *variants("""
            number-of-indices: fewer and more than data has places
                indices=[2,1,3,4]|[2,3,3,4]|[2,11,3,4]
            negative-indices: a negative index counts from the end
                data=[2,5]; indices=i64:[[-1,0,-5],[4,-2,-4]]|i32:[[-1,0,-5],[4,-2,-4]]; axis=1|-1
                data=[3,2]; indices=i64:[[-1,-3],[0,-2]]; axis=0
            repeated-indices: an element is taken again
                data=[2,5,1]; indices=i64:[[[4],[4],[4],[4]],[[0],[3],[3],[0]]]
        """),
    ],
)


@GatherElements.plain
def plain(rank=4):
    """More indices than the axis has places."""
    data = [2, 5, 3, 4, 1, 2, 3, 2][:rank] if rank > 1 else [6]
    axis = min(1, rank - 1)
    indices = [*data[:axis], data[axis] + 2, *data[axis + 1 :]]
    return {"data": data, "indices": indices, "axis": axis}


@GatherElements.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    data[axis] = draw.integer(2, 6)
    indices = [*data[:axis], draw.integer(1, 7), *data[axis + 1 :]]
    return {"data": data, "indices": indices, "axis": draw.choice([axis, axis - rank])}


@GatherElements.adapt
def indices_of_data(layer):
    """Indices in the shape of data, none into an axis without elements."""
    axis, shape = axis_of(layer), list(layer.data.shape)
    shape[axis] = layer.indices.shape[axis] if shape[axis] else 0
    return {"indices": shape}
