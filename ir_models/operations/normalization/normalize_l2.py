"""NormalizeL2: data over its L2 norm along axes (page NormalizeL2-1)."""

from ir_models.declaration import *

T = types("T", "arbitrary supported floating-point type")
T_IND = types("T_IND", "any supported integer type")
MODES = ("add", "max")

NormalizeL2 = Operation(
    "NormalizeL2-1",
    "opset1",
    inputs=[
        Input("data", T, at_least(1), values=Interval(-2.0, 6.0)),
        Index("axes", T_IND, between(0, 1), axis_of="data", distinct=True),
    ],
    outputs=[Output("y", T)],
    mixes=True,
    attributes=[
        Attribute("eps", float, required=True),
        Attribute("eps_mode", MODES, required=True),
    ],
    examples=examples("""
        data=f32[6,12,10,24]; axes=[1]; eps=1e-8; eps_mode=add -> [6,12,10,24]
        data=f32[6,12,10,24]; axes=[1,2,3]; eps=1e-8; eps_mode=add -> [6,12,10,24]
    """),
    rules=[rule("eps is positive", lambda layer: layer.eps > 0, "eps=0.0|-0.125")],
    variants=variants("""
        axes: any axes
            axes=[0]|[1]|[2]|[3]|[2,3]|[1,2,3]|[0,1]|[0,3]; eps_mode=add|max
        all-axes: 'a single L2 reduction value is calculated for the entire input tensor'
            axes=[0,1,2,3]; eps_mode=add|max
        axes-in-any-order: axes have no order
            axes=[3,1]|[2,0,3]|[3,2,1]
        negative-axis: a negative axis counts from the end
            axes=[-1]|[-2,-1]|[-4,2]|[1,-1,2]|[-3]
        scalar-axes: axes may be a scalar
            axes=1|3|-1|-3; eps_mode=add|max
        no-axes: 'each input element is divided by itself'
            axes=[]; data=f32:[[1.0,3.0],[0.5,4.0]]; eps=0.25; eps_mode=add
            axes=[]; data=f32:[[1.0,-3.0],[0.0,-0.5]]; eps=1e-12|0.25; eps_mode=add|max
        eps: larger than the sum of squares, and smaller
            eps=1e-09|0.5|100.0|30000.0; eps_mode=add|max
            data=f32:[[3.0,4.0],[1.0,2.0],[0.0,0.5]]; axes=[1]; eps=5.0|24.0|26.0; eps_mode=add|max
        zeros: eps avoids a division by zero
            data=f32:[[0.0,0.0,0.0],[0.0,3.0,-4.0]]; axes=[1]; eps=0.25|1e-06; eps_mode=add|max
        many-terms: sums of many squares
            data=[2,700]|[3,131,4]; axes=[1]; eps_mode=add|max
            data=[3,4,20,36]; axes=[1,2,3]|[2,3]|[0,2,3]
    """),
    readings=[
        Reading(
            "empty axes: 'each input element is divided by itself resulting value 1 for all non-zero elements'",
            "x / sqrt(eps_mode(x^2, eps)), which is near 1 of a positive x, near -1 of a negative one, where eps is "
            "small beside x^2.",
            "The formula; the sentence forgets eps, and that a root of a square is positive.",
            "contradiction",
            admits="1 for every element that is not 0.",
        ),
    ],
)


@NormalizeL2.plain
def plain(rank=4):
    """An eps that shows, and axes that are neither the first nor the last."""
    return {
        "data": [2, 5, 4, 3, 2, 3, 1, 2][:rank],
        "axes": {1: [0], 2: [1]}.get(rank, [1, 2]),
        "eps": 25.0,
        "eps_mode": "add",
    }


@NormalizeL2.random
def layer(draw):
    rank = draw.integer(1, 6)
    axes = [a - rank if draw.boolean() else a for a in draw.subset(range(rank), least=1)]
    single = len(axes) == 1 and draw.boolean()
    return {
        "data": draw.shape(rank, most=3 if rank > 4 else 5),
        "axes": axes[0] if single else axes,
        "eps": draw.choice([1e-6, 0.001, 0.25, 3.0, 30.0]),
        "eps_mode": draw.choice(MODES),
    }
