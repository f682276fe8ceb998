"""MVN: mean-variance normalization along axes (page MVN-6)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Interval,
    Operation,
    Output,
    at_least,
    example,
)
from ir_models.element_types import FLOATS, f32, i32, i64, types

T = types("T", FLOATS)
T_IND = types("T_IND", i64, i32)

MVN = Operation(
    "MVN-6",
    opset="opset6",
    inputs=[
        # The mean is not zero, so that it shows.
        Input("data", T, at_least(1), values=Interval(-2.0, 6.0)),
        Index("axes", T_IND),
    ],
    outputs=[Output("y", T)],
    attributes=[
        Attribute("normalize_variance", bool, required=True),
        Attribute("eps", float, required=True),
        Attribute("eps_mode", ("inside_sqrt", "outside_sqrt"), required=True),
    ],
    examples=[
        example(
            data=f32[6, 12, 10, 24],
            axes=[0, 2, 3],
            eps=1e-9,
            eps_mode="inside_sqrt",
            normalize_variance=True,
            output=[6, 12, 10, 24],
            ports=[0, 1, 2],
        )
    ],
    variants={
        "axes": [
            {"axes": axes} for axes in ([0], [1], [3], [2, 3], [1, 2, 3], [0, 1], [0, 1, 2, 3])
        ],
        "unordered-axes": [{"axes": [3, 1]}, {"axes": [2, 0, 3]}, {"axes": [3, 2, 1]}],
        "negative-axis": [
            {"axes": [-1]},
            {"axes": [-2, -1]},
            {"axes": [-4, 2]},
            {"axes": [1, -1, 2]},
        ],
        "large-eps": [
            {"eps": eps, "eps_mode": mode}
            for eps in (0.5, 100.0)
            for mode in ("inside_sqrt", "outside_sqrt")
        ],
        "small-eps": [{"eps": 1e-9, "eps_mode": mode} for mode in ("inside_sqrt", "outside_sqrt")],
        "only-mean": [
            {"normalize_variance": False, "axes": axes} for axes in ([1, 2], [3], [0, 1, 2, 3])
        ],
        # The variance vanishes beside the square of the mean, or is nothing but eps.
        "large-mean": [
            {
                "data": f32.tensor([[1000.5, 1001.25, 999.0], [-4096.0, -4097.5, -4095.75]]),
                "axes": [1],
            },
            {"data": f32.tensor([[1e6, 1e6 + 1, 1e6 - 2], [1.0, 1.0 + 2**-20, 1.0]]), "axes": [1]},
        ],
        "no-variance": [
            {
                "data": f32.tensor([[7.0, 7.0, 7.0, 7.0], [0.0, 1.0, 2.0, 4.0]]),
                "axes": [1],
                "eps_mode": mode,
            }
            for mode in ("inside_sqrt", "outside_sqrt")
        ],
        "many-terms": [
            {"data": [3, 4, 40, 36], "axes": axes} for axes in ([1, 2, 3], [2, 3], [0, 2, 3])
        ],
    },
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
        "eps_mode": draw.choice(["inside_sqrt", "outside_sqrt"]),
    }


@MVN.rule("each axis is in [-r, r - 1]", broken=[{"axes": [4]}, {"axes": [1, -5]}])
def axes_in_range(layer):
    return all(-layer.data.rank <= axis < layer.data.rank for axis in layer.axes.value)


# Never asked as invalid layers: the page does not say what a repeated axis, or none, means.
@MVN.rule("axes are different")
def axes_differ(layer):
    axes = [axis % layer.data.rank for axis in layer.axes.value]
    return len(set(axes)) == len(axes) > 0


@MVN.rule("eps is positive", broken=[{"eps": 0.0}, {"eps": -0.125}])
def eps_positive(layer):
    return layer.eps > 0
