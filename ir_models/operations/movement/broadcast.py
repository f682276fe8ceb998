"""Broadcast: data repeated to a shape (pages Broadcast-1, Broadcast-3)."""

from itertools import combinations
from math import prod

from ir_models.declaration import *

T_SHAPE = types("T_SHAPE", "any integer type")
MODES = ("numpy", "explicit")
EXPLICIT = "mode=explicit; data=[3,5]; axes_mapping=1,2"
BIDIRECTIONAL = "mode=bidirectional"

# No edge could tell them apart, so the ports are counted on instead.
ONE_ID = "the page prints id 1 for both target_shape and axes_mapping"
EXAMPLES = examples(f"""
    data=f32[16,1,1]; target_shape=1,16,50,50; mode=numpy -> [1,16,50,50]
    data=f32[16]; target_shape=1,16,50,50; axes_mapping=1; mode=explicit -> [1,16,50,50]
        erratum: {ONE_ID}
    data=f32[50,50]; target_shape=1,50,50,16; axes_mapping=1,2; mode=explicit -> [1,50,50,16]
        erratum: {ONE_ID}
""")

VARIANTS = [
    *variants("""
        numpy: dimensions align right, any of 1 repeats
            data=[4]|[2,3,5,4]|[2,1,5,1]|[1,3,1,4]|[5,1]|[1,1,1,4]|[2,1,1,1]
            data=[]; target_shape=2,1|
            data=[1]; target_shape=3,1
    """),
    variant(
        "explicit",
        "any axes of the output, also where dimensions of one size do not tell them",
        *(
            {"mode": "explicit", "data": [[2, 3, 5, 4][a] for a in axes], "axes_mapping": axes}
            for rank in range(1, 5)
            for axes in combinations(range(4), rank)
        ),
        "mode=explicit; data=[3,3]; target_shape=3,3,3; axes_mapping=0,1|0,2|1,2",
    ),
    *variants("""
        explicit-axes-type: axes_mapping has a type of its own
            mode=explicit; data=[3,5]; target_shape=i32:2,3,5,4; axes_mapping=i32:1,2
        explicit-scalar: data without axes has none to map
            mode=explicit; data=[]; target_shape=2,1; axes_mapping=
        empty-target (may be empty): the target may have dimensions of 0
            target_shape=2,3,0,4|0,3,5,4
    """),
]


def aligned(layer):
    """(dimension of data, of target_shape) from the last one on."""
    return list(zip(layer.data.shape[::-1], layer.target_shape.value[::-1], strict=False))


def mapped(layer):
    """(dimension of data, of target_shape) for each axis of data."""
    target = layer.target_shape.value
    return zip(layer.data.shape, (target[axis] for axis in layer.axes_mapping.value), strict=False)


RULES = [
    rule(
        "axes_mapping is given in mode explicit, and in no other",
        lambda layer: (
            layer.mode not in MODES
            or (layer.axes_mapping is not None) == (layer.mode == "explicit")
        ),
        ["mode=explicit", "axes_mapping=1,2,3"],
    ),
    rule(
        "numpy: aligned right, each dimension of data is 1 or that of target_shape",
        lambda layer: (
            layer.data.rank <= layer.target_shape.size
            and all(size in (1, wanted) for size, wanted in aligned(layer))
        ),
        ["target_shape=2,3,5,5|2,1,5,4|5,4", "data=[3,2,4]|[2,2,3,5,4]"],
        mode="numpy",
    ),
    rule(
        "explicit: axes_mapping has as many elements as data has dimensions",
        lambda layer: layer.axes_mapping.size == layer.data.rank,
        f"{EXPLICIT}; axes_mapping=1|1,2,3",
        mode="explicit",
    ),
    rule(
        "explicit: axes_mapping are axes of the output",
        lambda layer: all(0 <= a < layer.target_shape.size for a in layer.axes_mapping.value),
        f"{EXPLICIT}; axes_mapping=1,4",
        mode="explicit",
    ),
    rule(
        "explicit: axes_mapping is sorted",
        lambda layer: list(layer.axes_mapping.value) == sorted(layer.axes_mapping.value),
        f"{EXPLICIT}; data=[5,3]; axes_mapping=2,1",
        mode="explicit",
    ),
    rule(
        "explicit: axes_mapping has each axis once",
        lambda layer: layer.axes_mapping.size == len(set(layer.axes_mapping.value)),
        unasked="sorted does not exclude that two axes are one",
        mode="explicit",
    ),
    # Whether a mapped dimension of 1 may be repeated the pages do not say, so no case asks for it.
    rule(
        "explicit: each dimension of data is that of target_shape where it is mapped",
        lambda layer: all(size == wanted for size, wanted in mapped(layer)),
        [f"{EXPLICIT}; data=[3,4]|[2,5]", f"{EXPLICIT}; axes_mapping=0,2"],
        mode="explicit",
    ),
]


READINGS = [
    Reading(
        "port ids of the examples",
        "The inputs are told apart by their order.",
        "The page prints the id 1 for both target_shape and axes_mapping.",
        "slip",
    ),
    Reading(
        "mode explicit, dimensions of data",
        "Those of target_shape that axes_mapping names, and so fixed: unknown ones are not tested.",
        "Whether a mapped dimension of 1 is repeated the page does not say.",
        "silence",
    ),
]


def broadcast(version, data, axes, modes, examples=(), variants=(), rules=()):
    """Broadcast of a version, with the type variables of its data and of axes_mapping."""
    operation = Operation(
        f"Broadcast-{version}",
        f"opset{version}",
        inputs=[
            Input("data", data),
            # Broadcast-1 spells it taget_shape.
            Index("target_shape", T_SHAPE, least=0),
            Index("axes_mapping", axes, optional=True),
        ],
        outputs=[Output("y", data)],
        attributes=[Attribute("mode", modes, default="numpy")],
        examples=[*EXAMPLES, *examples],
        readings=READINGS,
        rules=[*RULES, *rules],
        violations=["target_shape=-2,3,5,4"],
        variants=[*VARIANTS, *variants],
    )

    @operation.plain
    def plain(rank=3):
        """A target with one dimension more; every second dimension of data is 1."""
        target = [2, 3, 5, 4, 1, 3, 1, 2, 2]
        target = target[: rank + 1] if rank < 8 else target[1:]
        own = target[len(target) - rank :]
        data = [1 if axis % 2 else size for axis, size in enumerate(own)]
        return {"data": data, "target_shape": target, "mode": "numpy"}

    @operation.random
    def layer(draw):
        mode = draw.choice(modes)
        rank = draw.integer(0, 6)
        target = draw.shape(rank, most=5 if rank < 5 else 3)
        if mode == "explicit":
            axes = sorted(draw.subset(range(rank)))
            if prod(target[axis] for axis in axes) == 1:
                axes = list(range(rank))  # one element repeated would hide every fault
            data = [target[axis] for axis in axes]
            return {"data": data, "target_shape": target, "axes_mapping": axes, "mode": mode}
        data = [1 if draw.integer(0, 2) == 0 else size for size in target[draw.integer(0, rank) :]]
        if prod(data) == 1:
            data = list(target)
        if mode == "bidirectional":
            target = [1 if draw.integer(0, 2) == 0 else size for size in target]
            target = target[draw.integer(0, rank) :]
        elif draw.boolean():
            mode = None
        return {"data": data, "target_shape": target, "mode": mode}

    @operation.adapt
    def follow(layer):
        """The target has the dimensions of data but where these are 1."""
        target = list(layer.target_shape.value)
        for axis, size in enumerate(layer.data.shape[::-1], 1):
            target[-axis] = target[-axis] if size == 1 else size
        return {"target_shape": target}

    return operation


Broadcast1 = broadcast(1, types("T", "any type"), types("T_AXES", "any integer type"), MODES)
Broadcast3 = broadcast(
    3,
    types("T", "any numeric type"),
    T_SHAPE,
    (*MODES, "bidirectional"),
    examples=examples(f"data=f32[16,1,1]; target_shape=1,1,50,50; {BIDIRECTIONAL} -> [1,16,50,50]"),
    variants=variants(f"""
        bidirectional: either shape may have the 1, or more dimensions
            {BIDIRECTIONAL}; data=[5]; target_shape=1
            {BIDIRECTIONAL}; data=[2,3]; target_shape=3
            {BIDIRECTIONAL}; data=[3,4]; target_shape=
            {BIDIRECTIONAL}; data=[3,1]; target_shape=3,4|2,1,6
            {BIDIRECTIONAL}; data=[2,3,5,4]; target_shape=5,1
            {BIDIRECTIONAL}; data=[1,3,1]; target_shape=4,1,5
            {BIDIRECTIONAL}; data=[4,1,5]; target_shape=1,3,1
            {BIDIRECTIONAL}; data=[2,3,5]; target_shape=2,3,5
            {BIDIRECTIONAL}; data=[1,3,1,4]; target_shape=3,1,1
    """),
    rules=[
        rule(
            "bidirectional: no axes_mapping",
            lambda layer: layer.axes_mapping is None,
            f"{BIDIRECTIONAL}; axes_mapping=1,2,3",
            mode="bidirectional",
        ),
        rule(
            "bidirectional: aligned right, two dimensions are the same or one of them is 1",
            lambda layer: all(a == b or 1 in (a, b) for a, b in aligned(layer)),
            f"{BIDIRECTIONAL}; target_shape=2,3,5,5|2,1,4",
            mode="bidirectional",
        ),
    ],
)
