"""MVN: mean-variance normalization along axes (page MVN-6)."""

from ir_models.declaration import *

T = types("T", "any floating point type")
T_IND = types("T_IND", "int64 or int32")
MODES = ("inside_sqrt", "outside_sqrt")

MVN = Operation(
    "MVN-6",
    "opset6",
    inputs=[
        # The mean is not zero, so that it shows.
        Input("data", T, at_least(1), values=Interval(-2.0, 6.0)),
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
        rule("eps is positive", lambda layer: layer.eps > 0, ["eps=0.0", "eps=-0.125"]),
    ],
    violations=["axes=4"],
    variants=variants(f"""
        axes: any axes
            axes=0|1|3|2,3|1,2,3|0,1
        all-axes: all axes
            axes=0,1,2,3
        axes-in-any-order: axes have no order
            axes=3,1|2,0,3|3,2,1
        negative-axis: a negative axis counts from the end
            axes=-1|-2,-1|-4,2|1,-1,2
        eps: eps inside and outside of the root, large and small
            eps=0.5|100.0|1e-09; eps_mode=inside_sqrt|outside_sqrt
        only-mean: the variance stays
            normalize_variance=false; axes=1,2|3|0,1,2,3
        large-mean: the variance vanishes beside the square of the mean, or is nothing but eps
            data=f32:[[1000.5,1001.25,999.0],[-4096.0,-4097.5,-4095.75]]; axes=1
            data=f32:[[1e6,1000001.0,999998.0],[1.0,{1.0 + 2**-20},1.0]]; axes=1
        no-variance: eps avoids a division by zero
            data=f32:[[7.0,7.0,7.0,7.0],[0.0,1.0,2.0,4.0]]; axes=1; eps_mode=inside_sqrt|outside_sqrt
        many-terms: means of many numbers
            data=[3,4,40,36]; axes=1,2,3|2,3|0,2,3
    """),
)


@MVN.plain
def plain(rank=4):
    """An eps that shows, and axes that are neither the first nor the last."""
    return {
        "data": [2, 5, 4, 3, 2, 3, 1, 2][:rank],
        "axes": {1: [0], 2: [1]}.get(rank, [1, 2]),
        "normalize_variance": True,
        "eps": 0.125,
        "eps_mode": "inside_sqrt",
    }


@MVN.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    axes = draw.subset(range(rank), least=1)
    # The only element of a slice is its mean.
    shape[axes[0]] += 1
    return {
        "data": shape,
        "axes": [axis - rank if draw.boolean() else axis for axis in axes],
        "normalize_variance": draw.choice([True, True, False]),
        "eps": draw.choice([1e-6, 0.001, 0.25, 3.0]),
        "eps_mode": draw.choice(MODES),
    }
