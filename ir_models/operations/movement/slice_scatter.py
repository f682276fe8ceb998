"""SliceScatter: every step-th element from start to stop is updated (page SliceScatter-15)."""

from ir_models.declaration import Index, Input, Operation, Output, at_least, example
from ir_models.element_types import INTEGERS, NUMERIC, f32, types

T = types("T", NUMERIC)
T_IND = types("T_IND", INTEGERS)
T_AXIS = types("T_AXIS", INTEGERS)

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1

SliceScatter = Operation(
    "SliceScatter-15",
    opset="opset15",
    inputs=[
        Input("data", T, at_least(1)),
        Input("updates", T),
        Index("start", T_IND),
        Index("stop", T_IND),
        Index("step", T_IND),
        Index("axes", T_AXIS, optional=True),
    ],
    outputs=[Output("output", T)],
    examples=[
        example(
            data=f32[2, 5],
            updates=f32[1, 5],
            start=[0],
            stop=[1],
            step=[1],
            axes=[0],
            output=[2, 5],
            ports=[0, 1, 2, 3, 4, 5, 6],
        ),
        example(
            data=f32[2, 5],
            updates=f32[2, 3],
            start=[-25],
            stop=[25],
            step=[2],
            axes=[1],
            output=[2, 5],
            ports=[0, 1, 2, 3, 4, 5, 6],
        ),
        # The ports of start, stop and step say 1 element, the comments list two.
        example(
            data=f32[3, 5],
            updates=f32[2, 2],
            start=[0, 1],
            stop=[3, 5],
            step=[2, 2],
            output=[3, 5],
            ports=[0, 1, 2, 3, 4, 5],
        ),
    ],
    variants={
        "one-axis": [
            {"updates": updates, "start": [1], "stop": [3], "step": [1], "axes": [axis]}
            for axis, updates in enumerate([[2, 6, 5, 4], [7, 2, 5, 4], [7, 6, 2, 4], [7, 6, 5, 2]])
        ],
        "all-axes": [
            {
                "updates": [1, 3, 2, 3],
                "start": [1, 0, 3, 2],
                "stop": [4, 5, 6, 3],
                "step": [1, 3, 1, 1],
                "axes": [3, 2, 1, 0],
            },
            {
                "updates": [2, 3, 3, 2],
                "start": [1, 3, 0, 1],
                "stop": [3, 6, 5, 3],
                "step": [1, 1, 2, 1],
                "axes": None,
            },
        ],
        "empty-axes": [
            {"updates": [7, 6, 5, 4], "start": [], "stop": [], "step": [], "axes": []},
            {"updates": [7, 6, 5, 4], "start": [], "stop": [], "step": [], "axes": None},
        ],
        "negative-axis": [{"axes": [-1, -3]}, {"axes": [3, -3]}],
        "negative-indices": [
            {"start": [-3, -6]},
            {"stop": [-1, -1]},
            {"start": [-3, -5], "stop": [-1, -1], "updates": [7, 2, 5, 2]},
        ],
        "negative-step": [
            {"start": [3, 5], "stop": [1, 0], "step": [-1, -2]},
            {"start": [-1, -2], "stop": [-4, -6], "step": [-2, -2], "updates": [7, 2, 5, 2]},
            {"start": [3, 5], "stop": [-5, -7], "step": [-1, -1], "updates": [7, 6, 5, 4]},
            {"start": [3, 0], "stop": [1, 6], "step": [-1, 2]},
        ],
        "clamped": [
            {"start": [-100, 0], "stop": [100, 7], "updates": [7, 3, 5, 4]},
            {"start": [100, 7], "stop": [-100, -8], "step": [-1, -2], "updates": [7, 3, 5, 4]},
        ],
        # The page's way to say "to the end".
        "int-max": [
            {"start": [2, 1], "stop": [INT64_MAX, INT64_MAX]},
            {"start": [2, 1], "stop": [INT32_MAX, INT32_MAX]},
            {"start": [1, 5], "stop": [-INT64_MAX - 1, -INT64_MAX - 1], "step": [-1, -2]},
            {"start": [1, 5], "stop": [-INT32_MAX - 1, -INT32_MAX - 1], "step": [-1, -2]},
        ],
        "step-beyond-dimension": [
            {"step": [100, 7], "updates": [7, 1, 5, 1]},
            {"step": [INT64_MAX, INT32_MAX], "updates": [7, 1, 5, 1]},
            {"start": [3, 5], "stop": [0, 0], "step": [-INT64_MAX, -7], "updates": [7, 1, 5, 1]},
        ],
        "empty-updates": [
            {"start": [2, 1], "stop": [2, 6], "updates": [7, 3, 5, 0]},
            {"start": [3, 1], "stop": [1, 6], "updates": [7, 3, 5, 0]},
            {"start": [3, -8], "stop": [0, -9], "step": [-2, -1], "updates": [7, 0, 5, 2]},
        ],
    },
)


@SliceScatter.plain
def plain(rank=4):
    """Without axes start, stop and step are for dimensions whose slice has another shape."""
    if rank == 1:
        return {
            "data": [7],
            "updates": [3],
            "start": [1],
            "stop": [6],
            "step": [2],
            "axes": [0],
        }
    shape = [7, 6, 5, 4, 2, 1, 2, 1][:rank]
    axis = 3 if rank > 3 else 0
    updates = list(shape)
    updates[axis], updates[1] = 2, 3
    return {
        "data": shape,
        "updates": updates,
        "start": [1, 0],
        "stop": [3, 5],
        "step": [1, 2],
        "axes": [axis, 1],
    }


@SliceScatter.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    if draw.boolean():
        axes = draw.subset(range(rank))
        named = [axis - draw.choice([0, rank]) for axis in axes]
    else:
        axes, named = list(range(draw.integer(0, rank))), None
    updates = list(shape)
    start, stop, step = [], [], []
    for axis in axes:
        size = shape[axis]
        step.append(draw.choice([1, 1, 2, 3, 7, -1, -1, -2, -3, -7]))
        # Backwards from before the first element is a purpose of its own: empty-updates.
        start.append(draw.integer(-size - 2 if step[-1] > 0 else -size, size + 2))
        stop.append(draw.integer(-size - 2, size + 2))
        updates[axis] = len(range(size)[start[-1] : stop[-1] : step[-1]])
    return {
        "data": shape,
        "updates": updates,
        "start": start,
        "stop": stop,
        "step": step,
        "axes": named,
    }


@SliceScatter.rule(
    "start, stop, step and axes have as many elements",
    broken=[
        {"start": [1, 0, 0]},
        {"stop": [3]},
        {"step": [1, 2, 1]},
        {"axes": [3, 1, 0]},
        {"axes": [3]},
    ],
)
def lengths(layer):
    inputs = (layer.start, layer.stop, layer.step, layer.axes)
    return len({t.shape for t in inputs if t is not None}) == 1


@SliceScatter.rule("step is not 0", broken=[{"step": [1, 0]}, {"step": [0, 2]}])
def step_not_zero(layer):
    return 0 not in layer.step.value


@SliceScatter.rule(
    "axes are in [-rank(data), rank(data))", broken=[{"axes": [4, 1]}, {"axes": [-5, 1]}]
)
def axes_exist(layer):
    return all(-layer.data.rank <= a < layer.data.rank for a in updated_axes(layer))


@SliceScatter.rule("axes are different", broken=[{"axes": [1, 1]}, {"axes": [1, -3]}])
def axes_differ(layer):
    places = [a % layer.data.rank for a in layer.axes.value]
    return len(set(places)) == len(places)


@SliceScatter.rule(
    "updates have the shape of the slice",
    broken=[
        {"updates": [7, 3, 5, 3]},
        {"updates": [7, 2, 5, 2]},
        {"updates": [2, 3, 5, 2]},
        # Shapes that would broadcast.
        {"updates": [1, 3, 5, 2]},
        {"updates": [3, 5, 2]},
        {"updates": []},
    ],
)
def updates_fit(layer):
    axes = [a % layer.data.rank for a in updated_axes(layer)]
    limits = zip(layer.start.value, layer.stop.value, layer.step.value, strict=True)
    by_axis = dict(zip(axes, limits, strict=True))
    if len(by_axis) != len(axes) or not axes_exist(layer):
        return True
    # range knows Python's slices, and raises ValueError for a step of 0.
    expected = [
        len(range(size)[slice(*by_axis.get(axis, (None,)))])
        for axis, size in enumerate(layer.data.shape)
    ]
    return list(layer.updates.shape) == expected


def updated_axes(layer):
    """The axes given, or the page's default."""
    return range(layer.start.size) if layer.axes is None else layer.axes.value
