"""TensorIterator: a body that runs for each slice of a tensor (page TensorIterator-1)."""

from dataclasses import replace

from ir_models.declaration import *
from ir_models.families.bodies import SMALL, binary, taken
from ir_models.vocabulary.element_types import FLOATS, NUMERIC, i64
from ir_models.vocabulary.graph import Body, Node, Result, Slices

T = types("T", "any supported type")
# What the page calls the last index of an axis, and the first one.
LAST, FIRST = -1, 0


def slices(layer):
    return Slices(layer.axis, layer.start, layer.end, layer.stride)


def joined(layer):
    """Backwards where the stride says so; start and end as the page's example has them then."""
    if layer.output_axis is None:
        return None
    backwards = layer.output_stride is not None and layer.output_stride < 0
    ends = (LAST, FIRST) if backwards else (None, None)
    return Slices(layer.output_axis, *ends, layer.output_stride)


def weights(*sizes):
    """Different numbers below 1, in the type of data, for names of sizes."""

    def tensor(layer):
        hidden, given = layer.state.shape[-1], layer.data.shape[-1]
        shape = [{"4*hidden": 4 * hidden, "hidden": hidden, "input": given}[name] for name in sizes]
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        numbers = [(7 * n % 31 - 15) / 32 for n in range(count)]
        width = shape[-1]
        rows = [numbers[n : n + width] for n in range(0, count, width)]
        return layer.data.element_type.tensor(rows if len(shape) > 1 else numbers)

    return tensor


def without_axis(layer):
    return i64.tensor([-1, layer.data.shape[-1]])


def with_axis(layer):
    return i64.tensor([-1, 1, layer.state.shape[-1]])


ADD = binary("new", "Add-1", "state", "data")
BODIES = {
    # The state, to which each slice is added, is carried to the next iteration.
    "accumulate": Body(
        [ADD],
        [Result("last", "new", port=0), Result("each", "new", port=1, axis=joined)],
        sliced={"data": slices},
        back_edges=[("last", "state")],
    ),
    # Without a back edge the state is the same in each iteration.
    "add_whole": Body(
        [ADD],
        [Result("last", "new", port=0), Result("each", "new", port=1, axis=joined)],
        sliced={"data": slices},
    ),
    "collect": Body(
        [],
        [Result("last", "data", port=0), Result("each", "data", port=1, axis=joined)],
        sliced={"data": slices},
    ),
    # Two states: each number is the sum of the slice and of the two before it.
    "two_states": Body(
        [binary("sum", "Add-1", "state", "cell"), binary("new", "Add-1", "sum", "data")],
        [
            Result("last", "new", port=0),
            Result("each", "new", port=1, axis=joined),
            Result("before", "state"),
        ],
        sliced={"data": slices},
        back_edges=[("last", "state"), ("before", "cell")],
    ),
    # The page's second example.
    "lstm": Body(
        [
            Node("X", "Reshape-1", ("data", "two_dimensions"), {"special_zero": False}),
            Node(
                "lstm",
                "LSTMCell-4",
                ("X", "state", "cell", "W", "R", "B"),
                {"hidden_size": lambda layer: layer.state.shape[-1]},
                outputs=2,
            ),
            Node("Y", "Reshape-1", ("lstm", "three_dimensions"), {"special_zero": False}),
        ],
        [
            Result("hidden", "lstm", port=0),
            Result("each", "Y", port=1, axis=joined),
            Result("carried", "lstm:1"),
        ],
        {
            "two_dimensions": without_axis,
            "three_dimensions": with_axis,
            "W": weights("4*hidden", "input"),
            "R": weights("4*hidden", "hidden"),
            "B": weights("4*hidden"),
        },
        sliced={"data": slices},
        back_edges=[("hidden", "state"), ("carried", "cell")],
    ),
}
# Layers and ports that are not there.
NO_LAYER, NOWHERE = "77", 77
BROKEN = {
    "edge_from_nowhere": replace(BODIES["accumulate"], back_edges=[(NO_LAYER, "state")]),
    "edge_to_nowhere": replace(BODIES["accumulate"], back_edges=[("last", NO_LAYER)]),
    "edge_backwards": replace(BODIES["accumulate"], back_edges=[("state", "last")]),
    "no_such_output": replace(
        BODIES["accumulate"],
        results=[*BODIES["accumulate"].results, Result("more", "new", NOWHERE)],
    ),
}
BODIES |= BROKEN


def indices(layer):
    """The indices of the slices, in the order of iterations; None for ends that are outside, or in no order."""
    size = layer.data.shape[layer.axis]
    stride = 1 if layer.stride is None else layer.stride
    ends = (0 if layer.start is None else layer.start, -1 if layer.end is None else layer.end)
    if stride == 0 or not all(-size <= end < size for end in ends):
        return None
    first, last = (end % size for end in ends)
    found = range(first, last + (1 if stride > 0 else -1), stride)
    return found or None


def axes_exist(layer):
    ranks = [layer.data.rank, layer.data.rank if layer.body == "lstm" else part(layer).rank]
    axes = [layer.axis, layer.output_axis]
    return all(a is None or -r <= a < r for a, r in zip(axes, ranks, strict=True))


def part(layer):
    """A slice of data."""
    shape = list(layer.data.shape)
    shape[layer.axis] = 1
    return layer.data.with_shape(*shape)


def body_fits(layer):
    if layer.body in BROKEN:
        return True
    names = BODIES[layer.body].names
    kinds = {"lstm": FLOATS, "collect": T.types}.get(layer.body, NUMERIC)
    given = {name for name in ("state", "cell") if layer.inputs[name] is not None}
    if given != names & {"state", "cell"} or layer.data.element_type not in kinds:
        return False
    states = [layer.inputs[name].shape for name in sorted(given)]
    if layer.body == "lstm":
        wide = layer.data.rank == 3 and layer.axis in (1, -2) and layer.output_axis in (1, -2)
        return (
            wide
            and len(set(states)) == 1
            and len(states[0]) == 2
            and states[0][0] == layer.data.shape[0]
        )
    return all(shape == part(layer).shape for shape in states)


def summands(layer, state):
    """Numbers whose sums fit: one that overflows on the way would make NaN of an infinite state."""
    kind = layer.data.element_type
    if layer.body == "collect" or kind not in NUMERIC:
        return None
    most = 2 if kind.bits < 8 else 20
    least = 0 if kind.kind == "uint" else -most
    if kind.is_float:
        return state.uniform(least, most, layer.data.shape)
    return state.randint(least, most + 1, layer.data.shape)


def states(layer):
    """The inputs that are not cut, in the order of the ports."""
    return [name for name in ("state", "cell") if name in BODIES[layer.body].names]


TensorIterator = Operation(
    "TensorIterator-1",
    "opset1",
    inputs=[
        Input("data", T, at_least(1), values=summands),
        Input("state", T, at_least(1), values=SMALL, optional=True),
        Input("cell", T, at_least(1), values=SMALL, optional=True),
    ],
    outputs=[Output("last", T), Output("each", T)],
    attributes=[
        Attribute("body", BODIES, required=True),
        Attribute("axis", int, required=True, port_map=True),
        Attribute("start", int, default=0, port_map=True),
        Attribute("end", int, default=-1, port_map=True),
        Attribute("stride", int, default=1, port_map=True),
        Attribute("output_axis", int, port_map=True),
        Attribute("output_stride", int, default=1, port_map=True),
    ],
    # Of the first example only the port map is printed.
    examples=examples("""
        data=[2,5,6]; state=[2,1,6]; body=accumulate; axis=1; start=-1; end=0; stride=-1
            ; output_axis=1; output_stride=-1 -> [2,1,6], [2,5,6]
        altered: inputs, outputs and body are left out
        data=[1,5,6]; state=[1,4]; cell=[1,4]; body=lstm; axis=1; start=0; output_axis=1 -> [1,4], [1,5,4]
        scaled: 25 slices of 512 with a cell of 256; W and R are one input of LSTMCell there, two here
        printed: data=[1,25,512]; state=[1,256]; cell=[1,256]; body=lstm; axis=1; output_axis=1 -> [1,256], [1,25,256]
    """),
    reads=lambda layer: taken(layer, layer.graphs().values()),
    # The weights of the cell are constants of the sizes of the first layer.
    resizable=lambda first, second: second.body != "lstm",
    unasked={
        "data has rank": "the page takes tensors of any shape; one without a dimension has no axis to cut",
        "state has rank": "the page states no rank",
        "cell has rank": "the page states no rank",
        "axis is required": "the page asks it of what is cut; without one nothing says how often the body runs",
    },
    rules=[
        rule(
            "axes are among those of the tensors",
            axes_exist,
            ["axis=3", "axis=-4", "output_axis=3", "output_axis=-4"],
        ),
        rule(
            "slices begin and end in the dimension, in the order of the stride",
            lambda layer: indices(layer) is not None,
            ["start=5", "start=-6", "end=5", "end=-6", "stride=0", "stride=-1", "start=3; end=1"],
        ),
        rule(
            "port maps name ports of the layer, and back edges lead from results to parameters",
            lambda layer: layer.body not in BROKEN,
            f"body={'|'.join(BROKEN)}",
        ),
        rule(
            "the body takes the shapes and types of its inputs",
            body_fits,
            ["state=[2,1,5]", "state=[2,2,7]"],
        ),
        rule(
            "output_stride is not 0",
            lambda layer: layer.output_stride != 0,
            unasked="the page says what a positive and a negative one are",
        ),
    ],
    variants=variants("""
        backwards: a negative stride iterates backwards
            start=-1; end=0; stride=-1
            start=4; end=0; stride=-1; output_stride=-1
            start=3; end=1; stride=-1; output_axis=0|2
        part-of-axis: from start to end, both included
            start=1|-4
            end=3|-2
            start=1; end=3
            start=2; end=2
        stride: every second slice
            stride=2
            stride=2; start=1
            stride=3; end=3
            start=-1; end=0; stride=-2
        reverse-joined: a negative stride of an output joins it backwards
            output_stride=-1
            output_stride=-1; body=collect; state=-
        axis: any axis is cut and joined
            axis=0; data=[5,2,6]; state=[1,2,6]; output_axis=0|1|2
            axis=2; data=[2,6,5]; state=[2,6,1]; output_axis=0|2
            axis=-2|-3; data=[5,4,6]; state=[5,1,6]; output_axis=-1; body=add_whole
            axis=-2; output_axis=-2
            axis=0; data=[5]; state=[1]; output_axis=0
        one-slice: an axis of one element, counted from either end
            data=[1]; state=[1]; axis=0; output_axis=0|-1; start=-1; end=-1
            data=[1]; state=[1]; axis=0; output_axis=0|-1; start=0; end=0
        parts-of-several: what is joined has more than one element along the axis
            body=add_whole; data=[1,3]; state=[1,3]; axis=0; output_axis=1
            body=add_whole; data=[2,3,1]; state=[2,3,1]; axis=2; output_axis=0|1
        not-joined: the value of the last iteration
            output_axis=-
            output_axis=-; body=collect; state=-; start=-1; end=0; stride=-1
        two-states: each back edge carries its own result
            body=two_states; cell=[2,1,6]
            body=two_states; cell=[2,1,6]; start=-1; end=0; stride=-1; output_stride=-1
        cell: a recurrent cell in the body
            body=lstm; data=[3,5,6]; state=[3,4]; cell=[3,4]
            body=lstm; data=[3,5,6]; state=[3,4]; cell=[3,4]; start=-1; end=0; stride=-1; output_stride=-1
    """),
    readings=[
        Reading(
            "'end is an index where iteration ends', -1 by default, and start=-1, end=0 with stride=-1",
            "Both start and end are sliced.",
            "By default every slice is taken, and so is the first one backwards.",
            admits="Places between slices, 0 before the first and -1 behind the last: end=3 leaves out the slice 3.",
        ),
        Reading(
            "'Concatenation order is specified by stride attribute'",
            "Of an output only the sign of stride counts: start, end and its size cut nothing off.",
            "The formulas concatenate the results of all iterations.",
            admits="'the corresponding input or output is divided into pieces and start, end and stride attributes "
            "define how slicing is performed': an output that its own attributes divide into as many pieces as there "
            "are iterations; another number of them is refused.",
        ),
        Reading(
            "'stride is a step of iteration', and pieces of which no size is stated",
            "A slice has the size 1, whatever the stride.",
            "The example with axis 1 of 25 has a body that takes 1.",
            admits="Slices of the size of the stride, which divides the dimension.",
        ),
    ],
)


@TensorIterator.plain
def plain(rank=3):
    shape = [2, 5, 6, 3, 4, 7, 1, 2][:rank] if rank > 1 else [5]
    axis = min(1, rank - 1)
    return {
        "data": shape,
        "state": [1 if place == axis else size for place, size in enumerate(shape)],
        "body": "accumulate",
        "axis": axis,
        "start": 0,
        "end": -1,
        "stride": 1,
        "output_axis": axis,
        "output_stride": 1,
    }


@TensorIterator.adapt
def adapt(layer):
    """Inputs that the body takes, in the shape of a slice."""
    wanted = states(layer)
    found = {name: None for name in ("state", "cell") if name not in wanted}
    if layer.body != "lstm":
        found |= dict.fromkeys(wanted, part(layer))
    return found


@TensorIterator.random
def layer(draw):
    rank = draw.integer(1, 4)
    shape = draw.shape(rank, most=6)
    axis = draw.integer(0, rank - 1)
    ends = sorted([draw.integer(0, shape[axis] - 1), draw.integer(0, shape[axis] - 1)])
    stride = draw.choice([1, 1, 2, -1, -2])
    start, end = ends if stride > 0 else ends[::-1]
    size = shape[axis]
    return {
        "data": shape,
        "body": draw.choice(["accumulate", "add_whole", "collect", "two_states"]),
        "axis": draw.choice([axis, axis - rank]),
        "start": draw.choice([start, start - size]),
        "end": draw.choice([end, end - size]),
        "stride": stride,
        "output_axis": draw.choice([None, draw.integer(-rank, rank - 1)]),
        "output_stride": draw.choice([None, 1, -1]),
    }
