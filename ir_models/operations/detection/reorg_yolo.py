"""ReorgYolo: blocks of elements move into the channels (page ReorgYolo-1)."""

from ir_models.declaration import *

T = types("T", "any type")

ReorgYolo = Operation(
    "ReorgYolo-1",
    "opset2",
    inputs=[Input("data", T, shape="N, C, H, W")],
    outputs=[Output("output", T)],
    # Another number of channels has cases of its own.
    resizable=lambda first, second: second.data.shape[1] % second.stride**2 == 0,
    attributes=[Attribute("stride", int, required=True, least=1)],
    examples=examples("data=f32[1,64,26,26]; stride=2 -> [1,256,13,13]"),
    rules=[
        rule(
            "H and W are divisible by stride",
            lambda layer: (
                layer.data.shape[2] % layer.stride == layer.data.shape[3] % layer.stride == 0
            ),
            ["data=[2,12,5,6]", "data=[2,12,4,7]"],
        ),
        rule(
            "C is at least stride * stride",
            lambda layer: layer.data.shape[1] >= layer.stride**2,
            ["data=[2,3,4,6]", "data=[2,12,8,4]; stride=4"],
        ),
    ],
    variants=variants("""
        stride: blocks of any size
            data=[2,9,6,3]|[2,18,3,9]; stride=3
            data=[1,16,4,8]; stride=4
            data=[2,3,4,5]; stride=1
        other-channels: C need not be divisible by stride * stride
            data=[2,5,4,6]|[1,7,6,2]
            data=[1,11,3,6]; stride=3
        least-channels: as many as a block has elements
            data=[2,4,6,8]
    """),
    readings=[
        Reading(
            "the order of the elements in the output",
            "The places of a block before the channels, or behind them; or, as the rule C >= stride * stride has a "
            "reason only there, blocks of the same memory taken for a map of C / stride² channels, H * stride and "
            "W * stride: the reference admits all three.",
            "The page gives shapes, no formula; the paper that it names stacks neighbours into channels and does not "
            "say in which order.",
            "silence",
            "Where stride * stride does not divide C: that map with its number of channels rounded down, so that "
            "elements are repeated and others left out.",
        ),
        Reading(
            "channels of which there are none, with C >= stride * stride",
            "Invalid.",
            "0 is below stride * stride.",
        ),
    ],
)


@ReorgYolo.plain
def plain():
    return {"data": [2, 12, 4, 6], "stride": 2}


@ReorgYolo.random
def layer(draw):
    stride = draw.integer(1, 3)
    channels = stride**2 * draw.integer(1, 3)
    sizes = [stride * draw.integer(1, 4), stride * draw.integer(1, 4)]
    return {"data": [draw.integer(1, 3), channels, *sizes], "stride": stride}


@ReorgYolo.adapt
def no_blocks(layer):
    return {"stride": 1}
