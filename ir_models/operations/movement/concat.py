"""Concat: tensors one after another along an axis (page Concat-1)."""

from ir_models.declaration import *
from ir_models.families.indices import axis_variants, with_axis

T = types("T", "any numeric type")


def shapes_match(layer):
    (axis,) = axes_of(layer, "axis")
    if any(tensor.rank != layer.data[0].rank for tensor in layer.data):
        return True  # another rule
    return len({tensor.shape[:axis] + tensor.shape[axis + 1 :] for tensor in layer.data}) == 1


def joined(shape, axis, sizes):
    """Tensors of a shape with one more dimension, of these sizes."""
    return {"data": [with_axis(shape, axis, size) for size in sizes]}


# For axes that are not that of the plain layer.
OTHER_AXES = {a: joined([2, 3, 4], a, (5, 1, 7)) for a in (2, 3)}
OTHER_AXES[0] = joined([2, 5, 4], 0, (3, 6, 1))
# The comments of both examples add 8 + 16 + 32 up to 48; the stated dimension of 56 is right.
PAGE = "data=f32[1,8,50,50],f32[1,16,50,50],f32[1,32,50,50]"

Concat = Operation(
    "Concat-1",
    "opset1",
    inputs=[Input("data", T, at_least(1), many=True)],
    outputs=[Output("y", T)],
    attributes=[Attribute("axis", int, required=True, axis_of="data")],
    examples=examples(
        f"{PAGE}; axis=1 -> [1,56,50,50]\n{PAGE}; axis=-3 -> [1,56,50,50]", [0, 1, 2, 0]
    ),
    rules=[
        rule(
            "all tensors have the same rank",
            lambda layer: len({tensor.rank for tensor in layer.data}) == 1,
            ["data=[2,3,5,4],[2,1,5],[2,6,5,4]", "data=[2,3,5,4],[2,1,5,4,1]"],
        ),
        rule(
            "all shapes match but at axis",
            shapes_match,
            ["data=[2,3,5,4],[2,1,5,3],[2,6,5,4]", "data=[2,3,5,4],[1,1,5,4]", "axis=2"],
        ),
    ],
    variants=[
        *axis_variants(4, OTHER_AXES),
        *variants("""
            one-dimension: numbers in a row, of which a device may leave out the copy
                data=i32[3],i32[1],i32[6]; axis=0
        """),
        variant(
            "number-of-inputs",
            "any number of tensors",
            *(joined([2, 5, 4], 1, s) for s in ([6], [3, 3], [4, 1, 2, 3], [1, 2] * 8, [1] * 100)),
        ),
        variant(
            "empty-part",
            "a tensor may be empty",
            *(joined([2, 5, 4], 1, sizes) for sizes in ((0, 3, 2), (3, 0), (2, 0, 3))),
        ),
    ],
)


@Concat.plain
def plain(rank=4):
    """Three tensors that differ along the axis, which is the second one where there is a second."""
    axis = min(1, rank - 1)
    return {**joined([2, 5, 4, 3, 2, 1, 2][: rank - 1], axis, (3, 1, 6)), "axis": axis}


@Concat.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=4)
    axis = draw.integer(0, rank - 1)
    sizes = draw.shape(draw.integer(1, 5), most=4)
    inputs = [[*shape[:axis], size, *shape[axis + 1 :]] for size in sizes]
    return {"data": inputs, "axis": axis - rank if draw.boolean() else axis}
