"""Unsqueeze: dimensions of 1 put in (page Unsqueeze-1)."""

from ir_models.declaration import *

T = types("T", "any numeric type")
T_INT = types("T_INT", "any supported integer type")


def axes_exist(layer):
    axes = numbers(layer.axes)
    rank = layer.data.rank + len(axes)
    return all(-rank <= a < rank for a in axes) and len({a % rank for a in axes}) == len(axes)


Unsqueeze = Operation(
    "Unsqueeze-1",
    "opset1",
    inputs=[Input("data", T), Index("axes", T_INT, between(0, 1))],
    outputs=[Output("y", T)],
    examples=[
        example("data=f32[2,3]; axes=[0,3]", output=[1, 2, 3, 1]),
        example("data=f32[]; axes=[0]", output=[1]),
    ],
    rules=[
        rule(
            "axes are different dimensions of the output, from -R to R - 1",
            axes_exist,
            "axes=[0,5]|[-6,0]|[4]|4|-5",
        )
    ],
    variants=variants("""
        axes: any place
            axes=[0]|[1]|[2]|[3]
        scalar-axes: axes may be a scalar
            axes=0|1|3|-1|-2|-4
        negative-axis: a negative axis counts from the end of the output
            axes=[-1]|[-4]|[-1,-3]|[0,-1]|[-6,1,-1]
        neighbours: dimensions side by side
            axes=[0,1]|[1,2]|[3,4]|[0,1,2,3]
        axes-in-any-order: axes have no order
            axes=[3,1]|[4,0]|[2,5,0]|[-1,0]
        empty-axes: nothing put in
            axes=[]
    """),
)


@Unsqueeze.plain
def plain(rank=3):
    return {"data": [3, 5, 4, 2, 3, 2, 1, 2][:rank], "axes": [0] if rank == 0 else [0, 2]}


@Unsqueeze.random
def layer(draw):
    rank = draw.integer(0, 5)
    data = draw.shape(rank, most=4)
    if draw.integer(0, 3) == 0:
        return {"data": data, "axes": draw.integer(-rank - 1, rank)}
    count = draw.integer(1, 3)
    whole = rank + count
    axes = draw.subset(range(whole), count, count)
    return {"data": data, "axes": [a - whole if draw.boolean() else a for a in axes]}
