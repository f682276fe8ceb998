"""GroupNormalization: mean-variance normalization of groups of channels (page GroupNormalization-12)."""

from ir_models.declaration import *

T = types("T", "any supported floating point type")

FOUR = "scale=[4]; bias=[4]"


def divides(layer):
    return layer.num_groups < 1 or layer.data.shape[1] % layer.num_groups == 0


GroupNormalization = Operation(
    "GroupNormalization-12",
    "opset12",
    inputs=[
        # The mean is not zero, so that it shows.
        Input("data", T, shape="N, C, *spatial", values=Interval(-2.0, 6.0)),
        Input("scale", T, shape="C", values=Interval(-2.0, 2.0, least=0.25)),
        Input("bias", T, shape="C", values=Interval(-2.0, 2.0)),
    ],
    outputs=[Output("y", T)],
    mixes=True,
    attributes=[
        Attribute("num_groups", int, required=True, least=1),
        Attribute("epsilon", float, required=True),
    ],
    examples=examples("""
        data=f32[3,12,100,100]; scale=[12]; bias=[12]; epsilon=1e-5; num_groups=4 -> [3,12,100,100]
    """),
    rules=[
        rule(
            "num_groups is at most the number of channels",
            lambda layer: layer.num_groups <= max(layer.data.shape[1], 1),
            "num_groups=7|12",
        ),
        rule(
            "num_groups divides the number of channels",
            lambda layer: layer.num_groups > layer.data.shape[1] or divides(layer),
            "num_groups=4|5",
        ),
        rule(
            "there is a channel",
            lambda layer: layer.data.shape[1] > 0,
            unasked="no number of groups is between 1 and 0",
        ),
        rule("epsilon is positive", lambda layer: layer.epsilon > 0, "epsilon=0.0|-0.125"),
    ],
    variants=variants(f"""
        groups: from one group of all channels to a group for each
            num_groups=1|2|3|6
            num_groups=1|2|4; data=[2,4,5]|[2,8,2,3,2]; scale=[8]; bias=[8]
        epsilon: large and small
            epsilon=0.5|100.0|1e-09
        no-variance: epsilon avoids a division by zero
            data=f32:[[[7.0,7.0],[7.0,7.0],[0.0,1.0],[2.0,4.0]]]; num_groups=2; {FOUR}
        large-mean: the variance vanishes beside the square of the mean
            data=f32:[[[1000.5,1001.25],[999.0,1002.0],[-4096.0,-4097.5],[-4095.75,-4096.5]]]; num_groups=2; {FOUR}
        many-terms: groups of many elements
            data=[2,6,40,36]; num_groups=1|2|6
        many-channels: more channels than a vector register has lanes
            data=[2,66,3]|[1,66,5,2]; scale=[66]; bias=[66]; num_groups=1|2|33|66
    """),
    readings=[
        Reading(
            "'variance' of a group",
            "The mean of the squared differences from the mean.",
            "The article that the page names; the page gives no formula.",
            "silence",
        ),
        Reading(
            "'N x G x C/G x H x W' where num_groups does not divide C",
            "Invalid.",
            "C/G is a dimension.",
            "silence",
        ),
    ],
)


@GroupNormalization.plain
def plain(rank=4):
    """Groups of two channels, and an epsilon that shows."""
    shape = [2, 6, 4, 3, 2, 3, 1, 2][:rank]
    return {"data": shape, "scale": [6], "bias": [6], "num_groups": 3, "epsilon": 0.125}


@GroupNormalization.random
def layer(draw):
    rank = draw.integer(2, 6)
    groups, members = draw.integer(1, 4), draw.integer(1, 3)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    # The only element of a group is its mean.
    shape[1] = groups * (members if rank > 2 else members + 1)
    shape[-1] += rank > 2
    channels = {"scale": [shape[1]], "bias": [shape[1]]}
    epsilon = draw.choice([1e-6, 0.001, 0.25, 3.0])
    return {"data": shape, **channels, "num_groups": groups, "epsilon": epsilon}


@GroupNormalization.adapt
def channels_of_data(layer):
    """One group where the number of groups does not divide the channels."""
    count = layer.data.shape[1]
    fits = layer.num_groups <= count and divides(layer)
    return {"scale": [count], "bias": [count], "num_groups": layer.num_groups if fits else 1}
