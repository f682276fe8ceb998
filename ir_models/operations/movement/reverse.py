"""Reverse: elements in opposite order along some axes (page Reverse-1)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import boolean

T1 = types("T1", "any supported type")
T2 = types("T2", "any supported integer type", "boolean")

Reverse = Operation(
    "Reverse-1",
    "opset1",
    inputs=[Input("data", T1), Index("axis", T2)],
    outputs=[Output("output", T1)],
    attributes=[Attribute("mode", ("index", "mask"), required=True)],
    examples=[example("data=f32[3,10,100,200]; axis=1; mode=index", output=[3, 10, 100, 200])],
    rules=[
        rule(
            "axis is boolean in mask mode, of an integer type in index mode",
            lambda layer: (
                layer.axis.element_type not in T2
                or layer.mode not in ("index", "mask")
                or (layer.axis.element_type is boolean) == (layer.mode == "mask")
            ),
            "mode=mask; axis=1,0,1,0",
        ),
        rule(
            "mask: axis has as many elements as data has dimensions",
            lambda layer: layer.axis.shape == (layer.data.rank,),
            "mode=mask; axis=boolean:true,false,true|boolean:true,false,true,false,true",
            mode="mask",
        ),
        rule(
            "index: axis holds dimensions of data",
            lambda layer: all(0 <= axis < layer.data.rank for axis in layer.axis.value),
            "axis=1,4|100",
            mode="index",
        ),
        rule(
            "index: there are at most as many axes as dimensions",
            lambda layer: layer.axis.size <= layer.data.rank,
            "axis=3,1,0,2,1",
            mode="index",
        ),
        rule(
            "index: axes are different",
            lambda layer: len(set(layer.axis.value)) == len(layer.axis.value),
            unasked="the page is silent on what turning an axis round twice means",
            mode="index",
        ),
    ],
    variants=variants("""
        one-axis: each dimension alone
            axis=0|1|2|3
        all-axes: as many indices as dimensions
            axis=3,1,0,2
        empty-axes: no axis leaves the data as it is
            axis=
        mask: a mask instead of indices; without true it leaves the data as it is
            mode=mask; axis=boolean:false,true,false,true|boolean:true,false,false,false
            mode=mask; axis=boolean:true,true,true,true|boolean:false,false,false,false
    """),
    readings=[
        Reading(
            "negative axes",
            "Invalid.",
            "The page counts the dimensions of data from 0 and has no word on others.",
            "silence",
            admits="Axes that count from the end.",
        ),
        Reading(
            "the operation sets that have it",
            "opset1.",
            "Its page is in the lists from opset3 on, but the name says 1; the layers are written "
            "as of opset1.",
            "contradiction",
        ),
        Reading(
            "the value of axis in the example",
            "1.",
            "The page prints one axis and not which.",
            "silence",
        ),
    ],
)


@Reverse.plain
def plain(rank=4):
    axes = [axis for axis in (3, 1, 6) if axis < rank] or list(range(rank))
    return {"data": [2, 3, 5, 4, 1, 2, 3, 1][:rank], "axis": axes, "mode": "index"}


@Reverse.random
def layer(draw):
    rank = draw.integer(1, 6)
    given = {"data": draw.shape(rank, most=3 if rank > 4 else 5)}
    # One type in nine is boolean and keeps a mask: so many masks leave about half of the layers.
    if draw.integer(0, 9):
        return {**given, "axis": [draw.boolean() for _ in range(rank)], "mode": "mask"}
    return {**given, "axis": draw.subset(range(rank)), "mode": "index"}
