"""Squeeze: dimensions of 1 taken away (pages Squeeze-1, Squeeze-15)."""

from ir_models.declaration import *

T = types("T", "any numeric type")
T_INT = types("T_INT", "any supported integer type")


VARIANTS = variants("""
    axes: any dimension of 1
        axes=[0]|[2]|[4]
    scalar-axes: axes may be a scalar
        axes=0|2|4|-1|-3|-5
    negative-axis: a negative axis counts from the end
        axes=[-1]|[-5]|[-1,-3]|[0,-1]|[-3,0]
    axes-in-any-order: axes have no order
        axes=[4,0]|[2,0]|[4,0,2]|[-1,0]
    all-axes: every dimension of 1
        axes=[0,2,4]
        data=[1,1,1]; axes=[0,1,2]
    axis-not-1: a dimension that is not 1 is ignored and stays
        data=[3,5]; axes=[0]
        axes=[1]|[3]|[-2]|[0,1]|[1,2,3]|[3,4]|[0,1,2,3,4]|1
    without-axes: every dimension of 1 goes
        data=[1]|[3]|[1,1]|[3,5]|[1,3,1,1]|[3,1,5]; axes=-
    empty-axes: the same as none
        data=[1,3,1,4,1]|[3,1,5]; axes=[]
    empty-data (may be empty): a dimension of 0 stays
        data=[1,0,3]; axes=[0,1]|-
""")


def stays_squeezable(first, second):
    """An unknown dimension that constant axes point at counts as 1, so that it must be 1 every time."""
    if second.attributes.get("allow_axis_skip"):
        return True
    return all(
        layer.data.shape[axis] == 1 for layer in (first, second) for axis in axes_of(layer, "axes")
    )


def rank_is_known(layer):
    """Each dimension may be 1: those that constant axes name go, and without axes nobody knows which ones do."""
    return bool(numbers(layer.axes)) and not layer.attributes.get("allow_axis_skip", False)


def squeeze(name, opset, printed, attributes=(), more=()):
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("data", T, at_least(1)),
            Index("axes", T_INT, between(0, 1), optional=True, axis_of="data"),
        ],
        outputs=[Output("y", T)],
        attributes=attributes,
        examples=printed,
        violations=["axes=[-6,2]|5|-6"],
        variants=[*VARIANTS, *more],
        resizable=stays_squeezable,
        infers_rank=rank_is_known,
        readings=[
            Reading(
                "a 'dynamic dimension that might be 1' that constant axes name is 'considered as squeezable', "
                "against 'should be equal to 1, otherwise it will be ignored and copied as is'",
                "It is 1: layers are not tested with another size.",
                "The rank of the output is stated without it, before its size is known.",
                "contradiction",
                admits="A refusal of another size, which a layer in front may give.",
            )
        ],
    )

    @operation.plain
    def plain(rank=5):
        """Some dimensions of 1 that axes name, one that they do not, where the rank allows it."""
        data, axes = [1, 3, 1, 4, 1, 2, 5, 2][:rank], [0, 2] if rank > 2 else [0]
        return {"data": data, "axes": axes, **{a.name: a.plain for a in attributes}}

    @operation.random
    def layer(draw):
        rank = draw.integer(1, 7)
        data = [1 if draw.boolean() else size for size in draw.shape(rank, least=2, most=5)]
        given = {"data": data}
        if draw.integer(0, 4) > 0:
            axes = [a - rank if draw.boolean() else a for a in draw.subset(range(rank), 1)]
            given["axes"] = axes[0] if draw.integer(0, 3) == 0 else axes
        return given | {a.name: draw.choice([False, True, None]) for a in attributes}

    return operation


Squeeze1 = squeeze(
    "Squeeze-1",
    "opset1",
    examples("""
        data=f32[1,3,1,2]; axes=[0,2] -> [3,2]
        data=f32[1]; axes=[0] -> []
    """),
)

Squeeze15 = squeeze(
    "Squeeze-15",
    "opset15",
    [
        example("data=f32[1,3,1,2]; axes=[0,2]; allow_axis_skip=false", output=[3, 2]),
        example("data=f32[1]; axes=[0]; allow_axis_skip=false", output=[]),
        # From here on the page has a dimension of -1, which is asked as well.
        example(
            "data=f32[1]; axes=[0]; allow_axis_skip=true",
            output=None,
            unknown="the dimension of -1 is 1 here: the output is a scalar",
        ),
        example(
            "data=f32[2,1]; axes=[1]; allow_axis_skip=false",
            output=[2],
            unknown="the dimension of -1 is 1, as the page assumes",
        ),
        example(
            "data=f32[2,3]; axes=[1]; allow_axis_skip=true",
            output=None,
            unknown="the dimension of -1 is 3 here: it is not squeezed",
        ),
    ],
    attributes=[Attribute("allow_axis_skip", bool, default=False, plain=True)],
    more=variants("""
        no-axis-skip: as Squeeze-1 has it
            allow_axis_skip=false; axes=[0,2]|[1]|[0,1]|-
    """),
)
