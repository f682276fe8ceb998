"""ScatterUpdate: slices written along an axis (page ScatterUpdate-3)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.indices import T_IND, axis_of, axis_variants, size_along_axis
from ir_models.families.scatter import Places, indices_rule, scatter

T_NUMERIC = types("T_NUMERIC", "any numeric type")


def indices(layer, state):
    """Different places along the axis, as long as there are so many and their type can name them."""
    most = layer.indices.element_type.integer_range[1]
    size, count = min(size_along_axis(layer), most + 1), layer.indices.size
    return state.permutation(max(size, count))[:count] % max(size, 1)


def positions(layer, indices):
    grid = np.arange(layer.data.size).reshape(layer.data.shape)
    return grid.take(indices, axis_of(layer), mode="wrap")


def updates(layer, indices):
    axis, data = axis_of(layer), layer.data.shape
    return (*data[:axis], *indices, *data[axis + 1 :])


def has_rank(layer):
    return layer.updates.rank == layer.data.rank + layer.indices.rank - 1


def has_shape(layer):
    axes_of(layer, "axis")  # another rule says that there is one
    return not has_rank(layer) or layer.updates.shape == updates(layer, layer.indices.shape)


PLACES = Places(
    sizes=lambda layer: [size_along_axis(layer)],
    positions=positions,
    updates=updates,
    alike=lambda layer: [1] * layer.indices.rank,
)

ScatterUpdate = scatter(
    "ScatterUpdate-3",
    "opset3",
    T_NUMERIC,
    Input("indices", T_IND, values=indices),
    PLACES,
    # The page prints FP32 at the first output; 375 million updates are fed in a small type instead.
    examples=examples("""
        data=u8[1000,256,10,15]; indices=i64[125,20]; updates=u8[1000,125,20,10,15]; axis=[1]
            -> [1000,256,10,15]
        data=f32[3,5]; indices=i64:[0,2]; updates=f32[3,2]; axis=[1] -> [3,5]
    """),
    rules=[
        rule(
            "updates has the rank of data and indices together, less one",
            has_rank,
            "updates=[3,10,4]|[3,2,5,4,1]",
        ),
        rule(
            "updates has the shape of data with that of indices in place of axis",
            has_shape,
            "updates=[3,5,2,4]|[3,2,5,5]|[2,2,5,4]",
        ),
        indices_rule(
            PLACES,
            "size of data along axis",
            *(f"indices=i64:[[0,{wrong},2,7,6],[3,4,5,1,8]]" for wrong in (11, -1)),
        ),
    ],
    variants=[
        *axis_variants(3, {0: {"indices": [2]}, 2: {"indices": [3, 1]}}, as_1d=True),
        *variants("""
            scalar-index: a single slice
                indices=[]
                indices=[]; axis=0
            one-dimension: indices as a list
                axis=-1; indices=[3]
            whole: every slice
                indices=[11]
            index-order: any order
                indices=i64:[6,4,2,0]|i64:[2,3,4,5]
            repeated-indices: the page leaves the order open
                indices=i64:[5,5,5,0]
                indices=[4,3]
        """),
    ],
)


@ScatterUpdate.plain
def plain(rank=3):
    """Fewer indices than the axis has places, in two dimensions."""
    if rank == 1:
        return {"data": [7], "indices": [2, 3], "axis": 0}
    return {"data": [3, 11, 4, 1, 2, 1, 2, 3][:rank], "indices": [2, 5], "axis": 1}


@ScatterUpdate.random
def layer(draw):
    rank = draw.integer(1, 6)
    axis = draw.integer(0, rank - 1)
    data = draw.shape(rank, 1, 5 if rank <= 4 else 3)
    data[axis] = draw.integer(3, 8)
    indices = draw.shape(draw.integer(0, 2), 1, 3)
    counted = draw.choice([axis, axis - rank])
    return {"data": data, "indices": indices, "axis": draw.choice([counted, [counted]])}
