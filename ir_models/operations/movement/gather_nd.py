"""GatherND: slices of data by tuples of indices (pages GatherND-5 and GatherND-8).

GatherND-5 joins the batch dimensions of the output into one; GatherND-8 takes negative indices.
"""

import numpy as np

from ir_models.declaration import *
from ir_models.families.indices import T_IND, in_range

T = types("T", "any supported type")


def indexed_dimensions(layer):
    """The dimensions of data that the tuples of indices go into."""
    return layer.data.shape[layer.batch_dims :][: layer.indices.shape[-1]]


def places(layer, state):
    """Tuples of indices, each within its dimension."""
    # An invalid layer may have longer tuples than data has dimensions.
    length = layer.indices.shape[-1]
    sizes = [*indexed_dimensions(layer), *[1] * length][:length]
    columns = [state.randint(0, max(size, 1), layer.indices.shape[:-1]) for size in sizes]
    return np.stack(columns, -1) if columns else np.zeros(layer.indices.shape, int)


def batch_dims_exist(layer):
    return layer.batch_dims < min(layer.data.rank, layer.indices.rank)


def batches_agree(layer):
    b = max(layer.batch_dims, 0)
    return not batch_dims_exist(layer) or layer.data.shape[:b] == layer.indices.shape[:b]


# Indices of the first two dimensions of [2,5,...], of which one is out of range.
BEHIND = "[[1,4],[2,0],[0,3]]", "[[1,4],[0,5],[0,3]]"
NEGATIVE = "[[1,4],[0,-1],[0,3]]"
BEFORE = "[[1,4],[0,-6],[0,3]]", "[[1,4],[-4,0],[0,3]]"
NEGATIVE_INDICES = variants("""
    negative-indices: a negative index counts from the end
        indices=i64:[[-1,-1],[0,-5],[-3,4]]; data=[3,5,4]; batch_dims=0
        indices=i32:[[-1,-1],[0,-5],[-3,4]]; data=[3,5,4]; batch_dims=0
        indices=i64:[[[-1,-2]],[[3,-4]],[[-5,0]]]; data=[3,5,4]; batch_dims=1
        indices=i64:[[-2],[-1]]; data=[2,4]; batch_dims=1
        indices=i64:[-1,-2,-3]; data=[3,5,4]; batch_dims=0
""")


# The values of the listings of both pages.
SQUARE = "data=f32:[[1,2],[3,4]]"
SLICES = "data=f32:[[[1,2,3,4],[5,6,7,8],[9,10,11,12]],[[13,14,15,16],[17,18,19,20],[21,22,23,24]]]"
SIX = f"{SLICES}; indices=i64:[[[[1]],[[0]],[[2]]],[[[0]],[[2]],[[2]]]]; batch_dims=2"
LISTED = f"""
    {SQUARE}; indices=i64:[[0,0],[1,0]] -> [2] = [1,3]
    {SQUARE}; indices=i64:[[1],[0]] -> [2,2] = [[3,4],[1,2]]
    {SQUARE}; indices=i64:[[[1]],[[0]]] -> [2,1,2] = [[[3,4]],[[1,2]]]
    {SQUARE}; indices=i64:[[1],[0]]; batch_dims=1 -> [2] = [2,3]
    {SLICES}; indices=i64:[[1],[0]]; batch_dims=1 -> [2,4] = [[5,6,7,8],[13,14,15,16]]
"""


def plain(rank=4):
    """Tuples into two dimensions, one batch dimension."""
    if rank == 1:
        return {"data": [7], "indices": [4, 1], "batch_dims": 0}
    if rank == 2:
        return {"data": [3, 5], "indices": [3, 4, 1], "batch_dims": 1}
    shape = [3, 2, 5, 4, 1, 2, 3, 2][:rank]
    return {"data": shape, "indices": [3, 6, 2], "batch_dims": 1}


def drawn(draw):
    rank = draw.integer(1, 6)
    b = draw.integer(0, min(rank - 1, 3))
    data = draw.shape(rank, 1, 4 if rank <= 4 else 3)
    data[b] = draw.integer(4, 6)
    length = draw.integer(1, rank - b)
    indices = data[:b] + draw.shape(draw.integer(0, 2), 1, 4) + [length]
    batch_dims = draw.choice([0, None]) if b == 0 else b
    return {"data": data, "indices": indices, "batch_dims": batch_dims}


def indices_of_data(layer):
    """Indices with the batches of data, and none into a dimension without elements."""
    b = layer.batch_dims
    count, *rest = layer.indices.shape[b:]
    return {"indices": [*layer.data.shape[:b], count if all(layer.data.shape) else 0, *rest]}


VARIANTS = variants("""
    elements: tuples for all dimensions after the batch
        indices=[3,5,3]
        indices=[3,3]; batch_dims=1
        indices=[5,4]|[4]; batch_dims=0
    slices: shorter tuples
        indices=[3,5,1]
        indices=[5,1]; batch_dims=0
    leading-dimensions: indices of more dimensions
        indices=[3,5,2,1,2]
        indices=[7,5,2]; batch_dims=0
    batch-dims: none and more of them
        batch_dims=0
        batch_dims=2; indices=[3,2,5,1]|[3,2,2]
        batch_dims=3; indices=[3,2,5,4,1]|[3,2,5,1]
    batch-only: one tuple for each batch
        indices=[3,2]|[3,1]
    repeated-indices: a slice is taken again
        indices=i64:[[1,0],[1,0],[2,1],[2,1],[1,0]]; batch_dims=0
""")


def gather_nd(name, opset, text, listed, *, negative):
    """GatherND with the examples of a text; ``negative``: indices may count from the end."""
    low, outside = ("-s", BEFORE) if negative else ("0", (NEGATIVE,))
    wrong = "|".join(f"i64:{indices}" for indices in (*BEHIND, *outside))
    operation = Operation(
        name,
        opset,
        inputs=[Input("data", T, at_least(1)), Input("indices", T_IND, at_least(1), values=places)],
        outputs=[Output("output", T)],
        attributes=[Attribute("batch_dims", int, default=0, least=0)],
        examples=[*examples(LISTED + listed), *examples(text, ports=[0, 1, 3])],
        rules=[
            rule(
                "batch_dims is less than the ranks of data and indices",
                batch_dims_exist,
                ["batch_dims=3; data=[3,6,2]; indices=[3,6,2,0]", "batch_dims=1; indices=[2]"],
            ),
            rule(
                "the first batch_dims dimensions of data and indices are equal",
                batches_agree,
                ["indices=[2,6,2]|[1,6,2]", "data=[1,2,5,4]"],
            ),
            rule(
                "a tuple of indices has at most as many items as data has dimensions after the batch",
                lambda layer: layer.batch_dims + layer.indices.shape[-1] <= layer.data.rank,
                ["indices=[3,6,4]", "indices=[3,5]; batch_dims=0"],
            ),
            rule(
                f"indices are in [{low}, s - 1], s the dimension that each goes into",
                lambda layer: in_range(layer.indices, indexed_dimensions(layer), from_end=negative),
                f"indices={wrong}; batch_dims=1",
            ),
        ],
        variants=[*(NEGATIVE_INDICES if negative else ()), *VARIANTS],
    )

    operation.plain(plain)
    operation.random(drawn)

    operation.adapt(indices_of_data)
    return operation


# Data of 38 million elements: the page leaves the type open, so it is a small one.
LARGE = "data=u8[1000,256,10,15]; indices=i64[25,125,3]; batch_dims=0 -> [25,125,15]"
BATCHED = "data=f32[30,2,100,35]; indices=i64[30,2,3,1]; batch_dims=2"

GatherND5 = gather_nd(
    "GatherND-5",
    "opset5",
    f"{LARGE}\n{BATCHED} -> [60,3,35]",
    f"{SIX} -> [6,1] = [[2],[5],[11],[13],[19],[23]]",
    negative=False,
)
GatherND8 = gather_nd(
    "GatherND-8",
    "opset8",
    f"""
    {LARGE}
    {BATCHED} -> [30,2,3,35]
    data=f32[1,64,64,320]; indices=i64[1,64,64,1,1]; batch_dims=3 -> [1,64,64,1]
    """,
    f"""
    {SIX} -> [2,3,1] = [[[2],[5],[11]],[[13],[19],[23]]]
    data=f32:[[[[1,2,3,4],[5,6,7,8]],[[9,10,11,12],[13,14,15,16]]]]
        ; indices=i64:[[[[1],[0]],[[3],[2]]]]; batch_dims=3 -> [1,2,2] = [[[2,5],[12,15]]]
    """,
    negative=True,
)
