"""MVN: mean-variance normalization along axes (pages MVN-1, MVN-6)."""

from ir_models.declaration import *

T = types("T", "any floating point type")
T_IND = types("T_IND", "int64 or int32")
MODES = ("inside_sqrt", "outside_sqrt")

# The mean is not zero, so that it shows.
VALUES = Interval(-2.0, 6.0)
EPS_IS_POSITIVE = rule("eps is positive", lambda layer: layer.eps > 0, ["eps=0.0", "eps=-0.125"])
# Of both pages, in the terms of the second.
AXES = f"""
    axes: any axes
        axes=0|1|3|2,3|1,2,3|0,1
    all-axes: all axes
        axes=0,1,2,3
    axes-in-any-order: axes have no order
        axes=3,1|2,0,3|3,2,1
    negative-axis: a negative axis counts from the end
        axes=-1|-2,-1|-4,2|1,-1,2
    only-mean: the variance stays
        normalize_variance=false; axes=1,2|3|0,1,2,3
    large-mean: the variance vanishes beside the square of the mean, or is nothing but eps
        data=f32:[[1000.5,1001.25,999.0],[-4096.0,-4097.5,-4095.75]]; axes=1
        data=f32:[[1e6,1000001.0,999998.0],[1.0,{1.0 + 2**-20},1.0]]; axes=1
    many-terms: means of many numbers
        data=[3,4,40,36]; axes=1,2,3|2,3|0,2,3
"""

MVN1 = Operation(
    "MVN-1",
    "opset1",
    inputs=[Input("data", T, at_least(1), values=VALUES)],
    outputs=[Output("y", T)],
    mixes=True,
    attributes=[
        Attribute("across_channels", bool),
        Attribute("reduction_axes", list, axis_of="data", distinct=True),
        Attribute("normalize_variance", bool, required=True),
        Attribute("eps", float, required=True),
    ],
    examples=examples(
        """
        data=f32[6,12,10,24]; across_channels=true; eps=1e-9; normalize_variance=true -> [6,12,10,24]
        data=f32[6,12,10,24]; reduction_axes=2,3; eps=1e-9; normalize_variance=true -> [6,12,10,24]
    """,
        ports=[0, 2],
    ),
    rules=[
        rule(
            "one of across_channels and reduction_axes is given",
            lambda layer: (layer.across_channels is None) != (layer.reduction_axes is None),
            "reduction_axes=-|1,2; across_channels=-",
            reading=Reading(
                "'Required: yes' of both, against 'It is necessary to use only one of across_channels or "
                "reduction_axes'",
                "One of them, and not the other.",
                "The sentence that speaks of both; the examples.",
                "contradiction",
            ),
        ),
        rule(
            "across_channels: there is an axis to take the mean along",
            lambda layer: (
                layer.across_channels is None
                or layer.data.rank > (1 if layer.across_channels else 2)
            ),
            unasked="the page does not say what data without channels, or without spatial axes, means",
        ),
        rule(
            "there are reduction_axes",
            lambda layer: len(layer.reduction_axes) > 0,
            unasked="the page does not say what no axes mean",
        ),
        EPS_IS_POSITIVE,
    ],
    variants=[
        *variants(AXES.replace("axes=", "reduction_axes=")),
        *variants("""
            channels: means over channels and spatial axes, or over spatial axes
                reduction_axes=-; across_channels=true|false; normalize_variance=true; data=[2,5,4,3]|[3,4,5]
                reduction_axes=-; across_channels=true|false; normalize_variance=false; data=[2,5,4,3]|[2,3,4,2,3]
            no-spatial-axes: the channels alone
                reduction_axes=-; across_channels=true; data=[4,7]
            eps: inside of the root, large and small
                eps=0.5|100.0|1e-09
            no-variance: eps avoids a division by zero
                data=f32:[[7.0,7.0,7.0,7.0],[0.0,1.0,2.0,4.0]]; reduction_axes=1
        """),
    ],
    readings=[
        Reading(
            "sqrt(sum of sigma_k^2 + epsilon)",
            "The root of the variance and epsilon, the variance being the mean of the squared differences.",
            "'the variance calculated based on mean value'; a sum of variances is defined nowhere.",
            "slip",
        ),
    ],
)

MVN6 = Operation(
    "MVN-6",
    "opset6",
    inputs=[
        Input("data", T, at_least(1), values=VALUES),
        Index("axes", T_IND, axis_of="data"),
    ],
    outputs=[Output("y", T)],
    mixes=True,
    attributes=[
        Attribute("normalize_variance", bool, required=True),
        Attribute("eps", float, required=True),
        Attribute("eps_mode", MODES, required=True),
    ],
    examples=examples("""
        data=f32[6,12,10,24]; axes=0,2,3; eps=1e-9; eps_mode=inside_sqrt; normalize_variance=true
            -> [6,12,10,24]
    """),
    rules=[
        rule(
            "axes are different, at least one",
            lambda layer: 0 < layer.axes.size == len(set(axes_of(layer, "axes"))),
            unasked="the page does not say what a repeated axis, or none, means",
        ),
        EPS_IS_POSITIVE,
    ],
    violations=["axes=4"],
    variants=[
        *variants(AXES),
        *variants("""
            eps: eps inside and outside of the root, large and small
                eps=0.5|100.0|1e-09; eps_mode=inside_sqrt|outside_sqrt
            no-variance: eps avoids a division by zero
                data=f32:[[7.0,7.0,7.0,7.0],[0.0,1.0,2.0,4.0]]; axes=1; eps_mode=inside_sqrt|outside_sqrt
        """),
    ],
)


def plain(rank=4):
    """An eps that shows, and axes that are neither the first nor the last."""
    shape = [2, 5, 4, 3, 2, 3, 1, 2][:rank]
    return {"data": shape, "normalize_variance": True, "eps": 0.125}


def axes_of_rank(rank):
    return {1: [0], 2: [1]}.get(rank, [1, 2])


def drawn(draw):
    """A layer, and its axes."""
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    axes = draw.subset(range(rank), least=1)
    # The only element of a slice is its mean.
    shape[axes[0]] += 1
    axes = [axis - rank if draw.boolean() else axis for axis in axes]
    variance = draw.choice([True, True, False])
    return {
        "data": shape,
        "normalize_variance": variance,
        "eps": draw.choice([1e-6, 0.001, 0.25, 3.0]),
    }, axes


@MVN1.plain
def plain_1(rank=4):
    return {**plain(rank), "reduction_axes": axes_of_rank(rank)}


@MVN1.random
def layer_1(draw):
    layer, axes = drawn(draw)
    across = [None, True, False][: max(len(layer["data"]), 1)]
    chosen = draw.choice([None, *across])
    if chosen is None:
        return {**layer, "reduction_axes": axes}
    layer["data"][-1] += 1
    return {**layer, "across_channels": chosen}


@MVN6.plain
def plain_6(rank=4):
    return {**plain(rank), "axes": axes_of_rank(rank), "eps_mode": "inside_sqrt"}


@MVN6.random
def layer_6(draw):
    layer, axes = drawn(draw)
    return {**layer, "axes": axes, "eps_mode": draw.choice(MODES)}
