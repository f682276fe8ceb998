"""Roll: elements move along axes and come in again at the other end (page Roll-7)."""

from ir_models.declaration import *

T = types("T", "any supported type")
T_IND_1 = types("T_IND_1", "int32 or int64")
T_IND_2 = types("T_IND_2", "int32 or int64")

# The values of the page's first three examples; the XML prints shapes alone.
ROWS = "data=f32:[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]"
LISTED = examples(f"""
    {ROWS}; shift=1; axes=0 -> [4,3] = [[10,11,12],[1,2,3],[4,5,6],[7,8,9]]
    {ROWS}; shift=[-1,2]; axes=[0,1] -> [4,3] = [[5,6,4],[8,9,7],[11,12,10],[2,3,1]]
    {ROWS}; shift=[1,2,1]; axes=[0,1,0] -> [4,3] = [[8,9,7],[11,12,10],[2,3,1],[5,6,4]]
""")

Roll = Operation(
    "Roll-7",
    "opset7",
    inputs=[
        Input("data", T),
        Index("shift", T_IND_1, between(0, 1)),
        Index("axes", T_IND_2, between(0, 1), axis_of="data"),
    ],
    outputs=[Output("output", T)],
    examples=[
        *LISTED,
        *examples(
            """
            data=f32[3,10,100,200]; shift=[2,-7]; axes=[1,2] -> [3,10,100,200]
            data=f32[3,10,100,200]; shift=3; axes=[1,3] -> [3,10,100,200]
            """,
            ports=[0, 1, 2, 0],
        ),
    ],
    rules=[
        rule(
            "a shift of rank 1 has the shape of axes",
            lambda layer: layer.shift.rank != 1 or layer.shift.shape == layer.axes.shape,
            ["shift=[2,-1,1]", "axes=[2,1,0]|2", "shift=[1]; axes=2"],
        )
    ],
    violations=["axes=[2,4]|[-5,1]"],
    variants=variants(f"""
        scalar-index: shift and axes may be scalars; a scalar shift serves all axes
            shift=2; axes=2
            shift=1; axes=[1,3]
            shift=-2; axes=[2]
        negative-axis: a negative axis counts from the end
            axes=[-1,-3]|[3,-4]
            shift=1; axes=-2
        one-axis: each axis
            shift=[1]; axes=[0]|[1]|[2]|[3]
        all-axes: a shift for each axis
            shift=[1,-1,2,3]; axes=[3,0,1,2]
        empty-axes: no axes, no shift
            shift=[]|1; axes=[]
        repeated-axes: the shifts of one axis add up, also under two names and to nothing
            shift=[1,2,1]; axes=[2,1,2]
            shift=[1,2]; axes=[2,-2]
            shift=[3,-1,-2]; axes=[2,1,2]
            shift=2; axes=[2,2,2]
        shift-beyond-dimension: elements may move round several times
            shift=[5,3]|[17,-8]|[-1000003,1000000000]|[{2**40 + 1},{-(2**50) - 1}]
        no-shift: a shift of 0 moves nothing
            shift=[0,0]
    """),
    readings=[
        Reading(
            "the values of shift and axes in the examples",
            "Those of the headings.",
            "The XML prints their shapes alone.",
            "silence",
        ),
    ],
)


@Roll.plain
def plain(rank=4):
    return {
        "data": [2, 3, 5, 4, 1, 2, 3, 1][:rank],
        "shift": [[], [1], [1, -1], [2, -1]][min(rank, 3)],
        "axes": [[], [0], [0, 1], [2, 1], [3, 1], [3, 1], [5, 2], [6, 2], [6, 3]][rank],
    }


@Roll.random
def layer(draw):
    rank = draw.integer(1, 6)
    given = {"data": draw.shape(rank, most=3 if rank > 4 else 5)}
    if draw.integer(0, 3):
        axes = [draw.integer(-rank, rank - 1) for _ in range(draw.integer(1, 4))]
        if draw.boolean():
            return {**given, "shift": [draw.integer(-9, 9) for _ in axes], "axes": axes}
        return {**given, "shift": draw.integer(-9, 9), "axes": axes}
    return {**given, "shift": draw.integer(-9, 9), "axes": draw.integer(-rank, rank - 1)}
