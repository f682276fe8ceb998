"""BatchNormInference: channels normalized by a given mean and variance (pages BatchNormInference-1, -5)."""

from ir_models.declaration import *

T = types("T", "any supported floating-point type")

# Layers of two channels.
TWO = "data=[1,2,3]; gamma=f32:[1.0,-2.0]; beta=f32:[0.5,0.0]; mean=f32:[1.0,-1.0]"
NORMAL = (
    "data=[3,2,4]; gamma=f32:[1.0,1.0]; beta=f32:[0.0,0.0]; mean=f32:[0.0,0.0]; "
    "variance=f32:[1.0,1.0]"
)
LARGE = (
    "data=f32:[[1000.5,1001.25],[999.0,-1000.0]]; gamma=f32:[1.5,-0.5]; beta=f32:[0.25,2.0]; "
    "mean=f32:[1000.0,1000.0]; variance=f32:[0.5,2.0]"
)


READINGS = [
    Reading(
        "'calculated per channel axis', 'mini-batch mean', 'mini-batch variance'",
        "The inputs mean and variance are used; nothing is calculated from data.",
        "'correspond to mean and variance inputs, respectively'; the formulas over a mini-batch are those of "
        "training.",
        "ambiguity",
    ),
    Reading(
        "a negative variance",
        "It is not tested.",
        "The page does not forbid it and its root is no number.",
        "silence",
    ),
]


VARIANTS = variants(f"""
    epsilon: from 0 on, beside small and large variances
        epsilon=0.0|1e-06|0.5|100.0
        epsilon=0.0|0.001; {TWO}; variance=f32:[0.0001,1000.0]
    no-variance: epsilon avoids a division by zero
        epsilon=0.25; {TWO}; variance=f32:[0.0,4.0]
    identity: data that is normal already
        epsilon=0.0; {NORMAL}
    gamma-0 (may be constant): the shift alone
        data=[3,2,4]; gamma=f32:[0.0,0.0]; beta=f32:[0.5,0.5]; mean=f32:[1.0,2.0]; variance=f32:[1.0,3.0]
    large-mean: data beside a mean that hides its last bits
        {LARGE}
    many-channels: more channels than a vector register has lanes, and not a multiple of them
        data=[2,37,5]|[3,64,2,2]|[2,131]
""")


def batch_norm(name, opset):
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("data", T, shape="N, C, *spatial", values=Interval(-4.0, 4.0)),
            # No factor of 0, which would hide the data.
            Input("gamma", T, shape="C", values=Interval(-2.0, 2.0, least=0.25)),
            Input("beta", T, shape="C", values=Interval(-2.0, 2.0)),
            Input("mean", T, shape="C", values=Interval(-2.0, 2.0)),
            Input("variance", T, shape="C", values=Interval(0.125, 4.0)),
        ],
        outputs=[Output("y", T)],
        mixes=True,
        # The factor is gamma / sqrt(variance + epsilon), where a root halves an error; the addend beta - mean · factor.
        affine={"gamma": 2, "beta": 1, "mean": 2, "variance": 1},
        attributes=[Attribute("epsilon", float, required=True, least=0.0)],
        examples=examples("""
            data=f32[10,128]; gamma=[128]; beta=[128]; mean=[128]; variance=[128]; epsilon=9.99e-06 -> [10,128]
            data=f32[1,3,224,224]; gamma=[3]; beta=[3]; mean=[3]; variance=[3]; epsilon=9.99e-06 -> [1,3,224,224]
        """),
        rules=[
            rule(
                "there is a channel",
                lambda layer: layer.data.shape[1] >= 1,
                "data=[2,0,4,3]; gamma=[0]; beta=[0]; mean=[0]; variance=[0]",
            ),
        ],
        variants=VARIANTS,
        readings=READINGS,
    )

    @operation.plain
    def plain(rank=4):
        shape = [2, 5, 4, 3, 2, 3, 1, 2][:rank]
        return {"data": shape, **of_channels(5), "epsilon": 0.125}

    @operation.random
    def layer(draw):
        rank = draw.integer(2, 6)
        shape = draw.shape(rank, most=3 if rank > 4 else 6)
        epsilon = draw.choice([0.0, 1e-06, 0.001, 0.25, 3.0])
        return {"data": shape, **of_channels(shape[1]), "epsilon": epsilon}

    @operation.adapt
    def channels_of_data(layer):
        return of_channels(layer.data.shape[1])

    return operation


def of_channels(count):
    return {name: [count] for name in ("gamma", "beta", "mean", "variance")}


BatchNormInference1 = batch_norm("BatchNormInference-1", "opset1")
BatchNormInference5 = batch_norm("BatchNormInference-5", "opset5")
