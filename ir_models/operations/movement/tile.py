"""Tile: copies of data along each dimension (page Tile-1)."""

from ir_models.declaration import *

T1 = types("T1", "arbitrary supported type")
T2 = types("T2", "any integer type")

Tile = Operation(
    "Tile-1",
    "opset1",
    inputs=[Input("data", T1), Index("repeats", T2, least=0)],
    outputs=[Output("y", T1)],
    examples=examples("""
        data=f32[2,3,4]; repeats=1,2,3 -> [2,6,12]
        data=f32[2,3,4]; repeats=5,1,2,3 -> [5,2,6,12]
        data=f32[5,2,3,4]; repeats=1,2,3 -> [5,2,6,12]
    """),
    unasked={
        "repeats is at least 0": "the page does not exclude negative numbers",
        "repeats has rank 1": "the page states no rank",
    },
    variants=variants("""
        more-repeats: data gets leading dimensions of 1
            repeats=3,1,2,3,1
            data=[2,3]; repeats=2,2,2
            data=[3]; repeats=2,1,3,2
            data=[]; repeats=3|1,2,1
        fewer-repeats: repeats gets leading ones
            repeats=2|3,1|2,3,1
            data=[4,2,3]; repeats=2,2
            data=[2,5,3,4]; repeats=2,2,3
        empty-repeats: repeats gets ones alone
            repeats=
            data=[]; repeats=
        one-axis: each dimension has its own number of copies
            data=[2,3,5,4]; repeats=3,1,1,1|1,3,1,1|1,1,3,1|1,1,1,3
        no-repeats: one copy is the data
            repeats=1,1,1,1
        many-repeats: any number of copies
            data=[2,3]; repeats=1,100|100,1
    """),
    readings=[
        Reading(
            "negative repeats, repeats of two dimensions",
            "Invalid.",
            "'A per-dimension replication factor': less than no copies and a table of factors have "
            "no meaning.",
            "silence",
            admits="Repeats that a device flattens, or takes for no copies.",
        ),
    ],
)


@Tile.plain
def plain(rank=4):
    repeats = [1, 2, 3, 1, 2, 1, 1, 2]
    return {"data": [1, 4, 3, 2, 3, 1, 2, 2][:rank], "repeats": repeats[:rank]}


@Tile.random
def layer(draw):
    data = draw.shape(draw.integer(1, 5), most=4)
    repeats = draw.shape(draw.integer(0, 5), most=3)
    data[draw.integer(0, len(data) - 1)] += 1  # copies of one element would hide every fault
    return {"data": data, "repeats": repeats}
