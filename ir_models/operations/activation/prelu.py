"""PReLU: x from 0 on, slope · x below (page PReLU-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import TAILS, repeats_to, tails

T = types("T", "arbitrary supported floating-point type")


def fits(layer):
    return is_per_channel(layer) or repeats_to(layer.slope, layer.data)


def is_per_channel(layer):
    """A slope for each element of the second dimension, whatever the last one is."""
    return layer.data.rank > 1 and layer.slope.shape == layer.data.shape[1:2]


PReLU = Operation(
    "PReLU-1",
    "opset1",
    inputs=[
        Input("data", T, at_least(1), values=Interval(-6.0, 6.0)),
        Input("slope", T, at_least(1), values=Interval(-2.0, 2.0)),
    ],
    outputs=[Output("output", T)],
    examples=examples("""
        data=f32[128]; slope=f32[1] -> [128]
        data=f32[20,128]; slope=f32[128] -> [20,128]
        data=f32[1,20,128,128]; slope=f32[20] -> [1,20,128,128]
    """),
    rules=[
        rule(
            "slope is one for each channel, or broadcasts to the shape of data",
            fits,
            "slope=[2]|[5]|[2,1]|[3,4,1]|[2,2,3,5,4]",
        )
    ],
    variants=[
        tails(*(f"data=[{length}]; slope=[1]" for length in TAILS)),
        *variants("""
            channels: the second dimension decides, also where the last one is alike
                data=[2,4,3,4]; slope=[4]
                data=[5,3]|[5,3,7]|[2,3,5,4,6]; slope=[3]
            broadcast: slopes of one element or of other dimensions broadcast as those of NumPy
                slope=[1]|[4]|[5,4]|[3,1,1]|[1,3,1,1]|[2,3,5,4]|[1,1,1,1]
                data=[7]; slope=[7]
            zero: both sides of 0
                data=f32:[[0.0,-0.0,0.5],[-0.5,3.0,-3.0]]; slope=f32:[0.25,-1.5,2.0]
                data=f16:[[0.0,-0.0,0.5],[-0.5,3.0,-3.0]]; slope=f16:[0.25,-1.5,2.0]
        """),
    ],
    readings=[
        Reading(
            "data of arbitrary shape",
            "It has at least one dimension.",
            "slope has one, and the output the shape of data.",
            "contradiction",
            admits="Scalar data with one slope.",
        )
    ],
)


@PReLU.plain
def plain(rank=4):
    return f"data={[2, 3, 5, 4, 1, 2, 3, 1][:rank]}; slope={[3] if rank > 1 else [1]}"


@PReLU.random
def layer(draw):
    shape = draw.shape(draw.integer(1, 5), most=5)
    part = [draw.choice([1, size]) for size in shape]
    return {"data": shape, "slope": draw.choice([shape[1:2] or [1], part])}


@PReLU.adapt
def suited(layer):
    """A slope for each channel."""
    return {"slope": layer.data.shape[1:2] or (1,)}
