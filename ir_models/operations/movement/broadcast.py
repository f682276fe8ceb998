"""Broadcast: data repeated to a shape (pages Broadcast-1, Broadcast-3)."""

from math import prod

from ir_models.declaration import ANY_RANK, Attribute, Index, Input, Operation, Output, example
from ir_models.element_types import ANY, INTEGERS, NUMERIC, f32, i32, types

# No edge could tell them apart, so the ports are counted on instead.
_ONE_ID = "the page prints id 1 for both target_shape and axes_mapping"

_EXAMPLES = [
    example(
        data=f32[16, 1, 1],
        target_shape=[1, 16, 50, 50],
        mode="numpy",
        output=[1, 16, 50, 50],
        ports=[0, 1, 2],
    ),
    example(
        data=f32[16],
        target_shape=[1, 16, 50, 50],
        axes_mapping=[1],
        mode="explicit",
        output=[1, 16, 50, 50],
        ports=[0, 1, 2, 3],
        erratum=_ONE_ID,
    ),
    example(
        data=f32[50, 50],
        target_shape=[1, 50, 50, 16],
        axes_mapping=[1, 2],
        mode="explicit",
        output=[1, 50, 50, 16],
        ports=[0, 1, 2, 3],
        erratum=_ONE_ID,
    ),
]

_VARIANTS = {
    "numpy": [
        {"data": [], "target_shape": [2, 1]},
        {"data": [], "target_shape": []},
        {"data": [4]},
        {"data": [1], "target_shape": [3, 1]},
        {"data": [2, 3, 5, 4]},
        {"data": [2, 1, 5, 1]},
        {"data": [1, 3, 1, 4]},
        {"data": [5, 1]},
        {"data": [1, 1, 1, 4]},
        {"data": [2, 1, 1, 1]},
    ],
    "explicit": [
        {"mode": "explicit", "data": data, "axes_mapping": axes}
        for data, axes in (
            ([2], [0]),
            ([3], [1]),
            ([5], [2]),
            ([4], [3]),
            ([2, 3], [0, 1]),
            ([3, 5], [1, 2]),
            ([2, 4], [0, 3]),
            ([3, 4], [1, 3]),
            ([2, 5, 4], [0, 2, 3]),
            ([2, 3, 4], [0, 1, 3]),
            ([2, 3, 5, 4], [0, 1, 2, 3]),
        )
    ]
    + [
        {"mode": "explicit", "data": [3, 3], "target_shape": [3, 3, 3], "axes_mapping": axes}
        for axes in ([0, 1], [0, 2], [1, 2])
    ],
    "explicit-axes-type": [
        {
            "mode": "explicit",
            "data": [3, 5],
            "target_shape": i32.tensor([2, 3, 5, 4]),
            "axes_mapping": i32.tensor([1, 2]),
        }
    ],
    "explicit-scalar": [
        {"mode": "explicit", "data": [], "target_shape": [2, 1], "axes_mapping": []}
    ],
    "empty-target": [{"target_shape": [2, 3, 0, 4]}, {"target_shape": [0, 3, 5, 4]}],
}

_MODES = ("numpy", "explicit")

T1 = types("T", ANY)
T = types("T", NUMERIC)
T_SHAPE = types("T_SHAPE", INTEGERS)

Broadcast1 = Operation(
    "Broadcast-1",
    opset="opset1",
    inputs=[
        Input("data", T1, ANY_RANK),
        # The page spells it taget_shape.
        Index("target_shape", types("T_SHAPE", INTEGERS)),
        Index("axes_mapping", types("T_AXES", INTEGERS), optional=True),
    ],
    outputs=[Output("y", T1)],
    attributes=[Attribute("mode", _MODES, default="numpy")],
    examples=_EXAMPLES,
    variants=_VARIANTS,
)

Broadcast3 = Operation(
    "Broadcast-3",
    opset="opset3",
    inputs=[
        Input("data", T, ANY_RANK),
        Index("target_shape", T_SHAPE),
        Index("axes_mapping", T_SHAPE, optional=True),
    ],
    outputs=[Output("y", T)],
    attributes=[Attribute("mode", (*_MODES, "bidirectional"), default="numpy")],
    examples=[
        *_EXAMPLES,
        example(
            data=f32[16, 1, 1],
            target_shape=[1, 1, 50, 50],
            mode="bidirectional",
            output=[1, 16, 50, 50],
            ports=[0, 1, 2],
        ),
    ],
    variants={
        **_VARIANTS,
        "bidirectional": [
            {"mode": "bidirectional", "data": data, "target_shape": target}
            for data, target in (
                ([5], [1]),
                ([2, 3], [3]),
                ([3, 1], [3, 4]),
                ([3, 4], []),
                ([3, 1], [2, 1, 6]),
                ([2, 3, 5, 4], [5, 1]),
                ([1, 3, 1], [4, 1, 5]),
                ([4, 1, 5], [1, 3, 1]),
                ([2, 3, 5], [2, 3, 5]),
                ([1, 3, 1, 4], [3, 1, 1]),
            )
        ],
    },
)


@Broadcast1.plain
@Broadcast3.plain
def plain(rank=3):
    """A target with one dimension more; every second dimension of data is 1."""
    target = [2, 3, 5, 4, 1, 3, 1, 2, 2]
    if rank < 8:
        target = target[: rank + 1]
        data = [1 if axis % 2 else size for axis, size in enumerate(target[1:])]
    else:
        target = target[1:]
        data = [1 if axis % 2 else size for axis, size in enumerate(target)]
    return {"data": data, "target_shape": target, "mode": "numpy"}


def _random(draw, modes):
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


@Broadcast1.random
def layer_1(draw):
    return _random(draw, _MODES)


@Broadcast3.random
def layer_3(draw):
    return _random(draw, (*_MODES, "bidirectional"))


def _rule(text, broken):
    """A rule of both versions."""

    def declare(holds):
        for operation in (Broadcast1, Broadcast3):
            operation.rule(text, broken)(holds)
        return holds

    return declare


@_rule("target_shape has no negative dimension", broken={"target_shape": [-2, 3, 5, 4]})
def target_shape_not_negative(layer):
    return min(layer.target_shape.value, default=0) >= 0


def _explicit(**changes):
    return {"mode": "explicit", "data": [3, 5], "axes_mapping": [1, 2], **changes}


@_rule(
    "axes_mapping is given in mode explicit, and in no other",
    broken=[{"mode": "explicit"}, {"axes_mapping": [1, 2, 3]}],
)
def axes_mapping_given(layer):
    return (layer.axes_mapping is not None) == (
        layer.mode == "explicit"
    ) or layer.mode not in _MODES


@_rule(
    "numpy: aligned right, each dimension of data is 1 or that of target_shape",
    broken=[
        {"target_shape": [2, 3, 5, 5]},
        {"target_shape": [2, 1, 5, 4]},
        {"target_shape": [5, 4]},
        {"data": [3, 2, 4]},
        {"data": [2, 2, 3, 5, 4]},
    ],
)
def numpy_shapes_fit(layer):
    data, target = layer.data.shape, layer.target_shape.value
    if layer.mode != "numpy":
        return True
    pairs = zip(reversed(data), reversed(target), strict=False)
    return len(data) <= len(target) and all(size in (1, wanted) for size, wanted in pairs)


@_rule(
    "explicit: axes_mapping has as many elements as data has dimensions",
    broken=[_explicit(axes_mapping=[1]), _explicit(axes_mapping=[1, 2, 3])],
)
def every_axis_is_mapped(layer):
    return layer.mode != "explicit" or layer.axes_mapping.size == layer.data.rank


@_rule("explicit: axes_mapping are axes of the output", broken=_explicit(axes_mapping=[1, 4]))
def mapped_axes_in_range(layer):
    rank = layer.target_shape.size
    return layer.mode != "explicit" or all(0 <= a < rank for a in layer.axes_mapping.value)


@_rule(
    "explicit: axes_mapping is sorted and has each axis once",
    broken=[
        _explicit(data=[5, 3], axes_mapping=[2, 1]),
        _explicit(data=[3, 3], axes_mapping=[1, 1]),
    ],
)
def mapped_axes_sorted(layer):
    if layer.mode != "explicit":
        return True
    axes = layer.axes_mapping.value
    return list(axes) == sorted(set(axes))


# Whether a mapped dimension of 1 may be repeated the pages do not say, so no case asks for it.
@_rule(
    "explicit: each dimension of data is that of target_shape where it is mapped",
    broken=[_explicit(data=[3, 4]), _explicit(axes_mapping=[0, 2]), _explicit(data=[2, 5])],
)
def mapped_dimensions_fit(layer):
    if layer.mode != "explicit":
        return True
    pairs = zip(layer.data.shape, layer.axes_mapping.value, strict=False)
    return all(size == layer.target_shape.value[axis] for size, axis in pairs)


@Broadcast3.rule(
    "bidirectional: no axes_mapping",
    broken={"mode": "bidirectional", "axes_mapping": [1, 2, 3]},
)
def bidirectional_has_no_axes_mapping(layer):
    return layer.mode != "bidirectional" or layer.axes_mapping is None


@Broadcast3.rule(
    "bidirectional: aligned right, two dimensions are the same or one of them is 1",
    broken=[
        {"mode": "bidirectional", "target_shape": [2, 3, 5, 5]},
        {"mode": "bidirectional", "target_shape": [2, 1, 4]},
    ],
)
def bidirectional_shapes_fit(layer):
    if layer.mode != "bidirectional":
        return True
    pairs = zip(reversed(layer.data.shape), reversed(layer.target_shape.value), strict=False)
    return all(size == wanted or 1 in (size, wanted) for size, wanted in pairs)
