"""GRN: global response normalization across channels (page GRN-1)."""

from ir_models.declaration import *

T = types("T", "arbitrary supported floating-point type")

GRN = Operation(
    "GRN-1",
    "opset1",
    inputs=[Input("data", T, between(2, 4), values=Interval(-2.0, 6.0))],
    outputs=[Output("y", T)],
    mixes=True,
    attributes=[Attribute("bias", float, required=True)],
    examples=examples("data=f32[1,20,224,224]; bias=1e-4 -> [1,20,224,224]", ports=[0, 0]),
    rules=[rule("bias is positive", lambda layer: layer.bias > 0, "bias=0.0|-0.125")],
    variants=variants("""
        bias: added to the sum of squares, whether small or large beside it
            bias=1e-09|0.0001|1.0|1000.0
        channels: one channel, and many
            data=[3,1,4,2]|[2,131,3]|[3,700]|[1,64,5,3]
        zeros: bias avoids a division by zero
            data=f32:[[[0.0,1.0,3.0],[0.0,-2.0,4.0]]]; bias=0.25|1e-06
    """),
)


@GRN.plain
def plain(rank=4):
    """A bias that shows."""
    return {"data": [2, 5, 4, 3][:rank], "bias": 2.5}


@GRN.random
def layer(draw):
    rank = draw.integer(2, 4)
    return {"data": draw.shape(rank), "bias": draw.choice([1e-06, 0.001, 0.25, 3.0, 50.0])}
