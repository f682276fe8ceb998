"""Slice: every step-th element from start to stop (page Slice-8)."""

from ir_models.declaration import Index, Input, Operation, Output, at_least, example
from ir_models.element_types import ANY, INTEGERS, f32, types

T = types("T", ANY)
T_IND = types("T_IND", INTEGERS)
T_AXIS = types("T_AXIS", INTEGERS)

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1


def line(start, stop, step, output, axes=(0,)):
    """An example of the page on data of ten elements."""
    return example(
        data=f32[10],
        start=[start],
        stop=[stop],
        step=[step],
        axes=axes,
        output=[output],
        ports=[0, 1, 2, 3, 4] if axes is None else [0, 1, 2, 3, 4, 5],
    )


Slice = Operation(
    "Slice-8",
    opset="opset8",
    inputs=[
        Input("data", T, at_least(1)),
        Index("start", T_IND),
        Index("stop", T_IND),
        Index("step", T_IND),
        Index("axes", T_AXIS, optional=True),
    ],
    outputs=[Output("output", T)],
    examples=[
        line(1, 8, 1, output=7),
        line(1, 8, 1, output=7, axes=None),
        line(1, 8, 2, output=4),
        line(-100, 100, 1, output=10),
        line(9, -11, -1, output=10),
        line(9, 0, -1, output=9),
        line(9, -10, -1, output=9),
        line(9, -11, -2, output=5),
        line(100, -100, -1, output=10),
        example(
            data=f32[2, 5],
            start=[0, 1],
            stop=[2, 4],
            step=[1, 2],
            axes=[0, 1],
            output=[2, 2],
            ports=[0, 1, 2, 3, 4, 5],
        ),
        # The ports say 2 elements, the comments list three.
        example(
            data=f32[20, 10, 5],
            start=[0, 0, 0],
            stop=[4, 10, 5],
            step=[1, 1, 1],
            axes=[0, 1, 2],
            output=[4, 10, 5],
            ports=[0, 1, 2, 3, 4, 5],
        ),
        example(
            data=f32[20, 10, 5],
            start=[0, 0],
            stop=[4, 10],
            step=[1, 1],
            axes=[0, 1],
            output=[4, 10, 5],
            ports=[0, 1, 2, 3, 4, 5],
        ),
    ],
    variants={
        "one-axis": [{"start": [1], "stop": [3], "step": [1], "axes": [axis]} for axis in range(4)],
        "all-axes": [
            {
                "start": [1, 0, 3, 2],
                "stop": [4, 5, 6, 3],
                "step": [1, 2, 1, 1],
                "axes": [3, 2, 1, 0],
            },
            {"start": [1, 3, 0, 1], "stop": [3, 6, 5, 3], "step": [1, 1, 2, 1], "axes": None},
        ],
        "empty-axes": [
            {"start": [], "stop": [], "step": [], "axes": []},
            {"start": [], "stop": [], "step": [], "axes": None},
        ],
        "negative-axis": [{"axes": [-1, -3]}, {"axes": [3, -3]}, {"axes": [-2, 0]}],
        "negative-indices": [
            {"start": [-3, 2]},
            {"stop": [-1, -2]},
            {"start": [-3, -5], "stop": [-1, -1]},
        ],
        "negative-step": [
            {"start": [3, 5], "stop": [0, 1], "step": [-1, -2]},
            {"start": [-1, -2], "stop": [-4, -6], "step": [-2, -1]},
            {"start": [3, 6], "stop": [-5, -8], "step": [-1, -1]},
            {"start": [3, 0], "stop": [1, 6], "step": [-1, 4]},
        ],
        "clamped": [
            {"start": [-100, 2], "stop": [100, 7]},
            {"start": [-5, -8], "stop": [5, 8]},
            {"start": [100, 7], "stop": [-100, -8], "step": [-1, -2]},
            {"start": [4, 8], "stop": [-5, -9], "step": [-3, -4]},
        ],
        # The page's way to say "to the end".
        "int-max": [
            {"stop": [INT64_MAX, INT64_MAX]},
            {"stop": [INT32_MAX, INT32_MAX]},
            {"start": [3, 5], "stop": [-INT64_MAX - 1, -INT64_MAX - 1], "step": [-1, -2]},
            {"start": [3, 5], "stop": [-INT32_MAX - 1, -INT32_MAX - 1], "step": [-1, -2]},
            {"start": [INT64_MAX, INT32_MAX], "stop": [0, 1], "step": [-1, -1]},
            {"start": [-INT64_MAX - 1, -INT32_MAX - 1], "stop": [3, 4]},
        ],
        "step-beyond-dimension": [
            {"step": [100, 7]},
            {"start": [3, 5], "stop": [0, 0], "step": [-100, -7]},
            {"step": [INT64_MAX, INT32_MAX]},
            {"start": [3, 5], "stop": [0, 0], "step": [-INT64_MAX, -INT32_MAX]},
            {"start": [3, 5], "stop": [0, 0], "step": [-1, -INT32_MAX - 1]},
            {"start": [3, 5], "stop": [0, 0], "step": [-INT64_MAX - 1, -1]},
        ],
        "empty-result": [
            {"start": [2, 1], "stop": [2, 4]},
            {"start": [3, 1], "stop": [1, 4]},
            {"start": [1, 5], "stop": [3, 6], "step": [1, -1]},
            {"start": [100, 1], "stop": [200, 4]},
            {"start": [3, -8], "stop": [0, -9], "step": [-1, -1]},
        ],
    },
)


@Slice.plain
def plain(rank=4):
    """Without axes start, stop and step are for other dimensions."""
    shape = [3, 6, 5, 4, 2, 1, 3, 2][:rank]
    if rank == 1:
        return {"data": [7], "start": [1], "stop": [6], "step": [2], "axes": [0]}
    axes = [1, 0] if rank < 4 else [3, 1]
    return {"data": shape, "start": [1, 0], "stop": [3, 5], "step": [1, 2], "axes": axes}


@Slice.random
def layer(draw):
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    if draw.boolean():
        axes = draw.subset(range(rank))
        named = [axis - draw.choice([0, rank]) for axis in axes]
    else:
        axes, named = list(range(draw.integer(0, rank))), None
    limits = [drawn_limits(draw, shape[axis]) for axis in axes]
    return {
        "data": shape,
        "start": [start for start, _, _ in limits],
        "stop": [stop for _, stop, _ in limits],
        "step": [step for _, _, step in limits],
        "axes": named,
    }


def drawn_limits(draw, size):
    """start, stop and step that leave something of a dimension, in any of the ways to write them."""
    step = draw.choice([1, 1, 2, 3, 7, -1, -1, -2, -3, -7])
    first, last = sorted([draw.integer(0, size - 1), draw.integer(0, size - 1)])
    if step > 0:
        start = draw.choice([first, first - size, *([-size - 3] if first == 0 else [])])
        end = last + 1
        stop = draw.choice([end, size + 3, INT32_MAX] if end == size else [end, end - size])
    else:
        start = draw.choice([last, last - size, *([size + 3] if last == size - 1 else [])])
        end = first - 1
        stop = draw.choice([-size - 1, -size - 4] if end < 0 else [end, end - size])
    return start, stop, step


@Slice.rule(
    "start, stop, step and axes have as many elements",
    broken=[
        {"start": [1, 0, 0]},
        {"stop": [3]},
        {"step": [1, 2, 1]},
        {"axes": [3, 1, 0]},
        {"axes": [1]},
    ],
)
def lengths(layer):
    inputs = (layer.start, layer.stop, layer.step, layer.axes)
    return len({t.shape for t in inputs if t is not None}) == 1


@Slice.rule("step is not 0", broken=[{"step": [1, 0]}, {"step": [0, 2]}])
def step_not_zero(layer):
    return 0 not in layer.step.value


@Slice.rule(
    "axes are in [-rank(data), rank(data))",
    broken=[
        {"axes": [3, 4]},
        {"axes": [-5, 1]},
        {"axes": None, "start": [0] * 5, "stop": [2] * 5, "step": [1] * 5},
    ],
)
def axes_exist(layer):
    return all(-layer.data.rank <= a < layer.data.rank for a in sliced_axes(layer))


@Slice.rule("axes are different", broken=[{"axes": [1, 1]}, {"axes": [1, -3]}])
def axes_differ(layer):
    places = [a % layer.data.rank for a in layer.axes.value]
    return len(set(places)) == len(places)


def sliced_axes(layer):
    """The axes given, or the page's default."""
    return range(layer.start.size) if layer.axes is None else layer.axes.value
