"""Loop: a body that runs again and again (page Loop-5)."""

from dataclasses import replace

from ir_models.declaration import *
from ir_models.families.bodies import SMALL, binary, convert, taken
from ir_models.vocabulary.element_types import ANY, NUMERIC, boolean, f32, i32, i64
from ir_models.vocabulary.graph import Body, Parameter, Result

T_COUNT = types("T_COUNT", "int64 or int32")
T_COND = types("T_COND", "boolean")
T = types("T", "any type")


def state_type(layer):
    return f32 if layer.state is None else layer.state.element_type


def ten(layer):
    return state_type(layer).tensor([10])


def joined_axis(layer):
    """The slices of the second output; the iteration has one axis."""
    return 0 if layer.body == "count" and layer.output_axis is not None else layer.output_axis


def body(
    *nodes,
    last="new",
    each="new",
    condition="go_on",
    sliced=False,
    number=i64[1],
    more=None,
    **limit,
):
    """A state is carried to the next iteration, and is the first output; what ``each`` iteration gives is the second.

    ``sliced``: data comes in slices along axis. ``number``: the iteration, as the body takes it; ``more``: another
    parameter.
    """
    results = [
        Result("last", last, port=0),
        Result("each", each, port=1, axis=joined_axis),
        Result("condition", condition, purpose="execution_condition"),
    ]
    return Body(
        nodes,
        results,
        constants={"go_on": boolean.tensor(True), **limit},
        sliced={"data": lambda layer: layer.axis} if sliced else {},
        more=[
            Parameter("iteration", number, purpose="current_iteration"),
            *([] if more is None else [more]),
        ],
        back_edges=[("last", "state")],
    )


def joined(source):
    """The only output of a layer."""
    return Result("each", source, port=0, axis=joined_axis)


def ends():
    return Result("condition", "go_on", purpose="execution_condition")


def below_limit(name):
    return binary("below", "Less-1", name, "limit", output=boolean)


ADD_DATA = binary("new", "Add-1", "state", "data")
NUMBER = convert("number", "Convert-1", "iteration", state_type)
ADD_NUMBER = binary("new", "Add-1", "state", "number")
BODIES = {
    "accumulate": body(ADD_DATA, sliced=True),
    "add_whole": body(ADD_DATA),
    "collect": body(last="data", each="data", sliced=True),
    "count": body(last="state", each="iteration"),
    "triangle": body(NUMBER, ADD_NUMBER),
    "triangle_i32": body(NUMBER, ADD_NUMBER, number=i32[()]),
    "until": body(ADD_DATA, below_limit("iteration"), condition="below", limit=i64.tensor([2])),
    "while_below": body(ADD_DATA, below_limit("new"), condition="below", limit=ten),
    # Without a state: all that the layer gives is joined, of slices or of what has no input.
    "scan": Body(
        [binary("twice", "Add-1", "state", "state")],
        [joined("twice"), ends()],
        {"go_on": boolean.tensor(True)},
        sliced={"state": lambda layer: layer.axis},
    ),
    "numbers": Body(
        [convert("number", "Convert-1", "iteration", f32)],
        [joined("number"), ends()],
        {"go_on": boolean.tensor(True)},
        more=[Parameter("iteration", i64[1], purpose="current_iteration")],
    ),
    # Two states: each number is the sum of the two before it.
    "two_states": Body(
        [ADD_DATA],
        [
            Result("last", "data", port=0),
            Result("each", "new", port=1, axis=joined_axis),
            ends(),
        ],
        {"go_on": boolean.tensor(True)},
        back_edges=[("last", "state"), ("each", "data")],
    ),
    # The page's example gives trip_count and execution_condition to the body.
    "with_outer": body(
        NUMBER,
        convert("trips", "Convert-1", "trip_count", state_type),
        binary("count", "Add-1", "number", "trips"),
        binary("new", "Add-1", "state", "count"),
        condition="execution_condition",
    ),
}
# Ports that the layer does not have.
NOWHERE = 77
# A layer that a body does not have.
NO_LAYER = "77"
# What the page excludes: a body that gives no condition, and port maps and back edges that lead nowhere.
BROKEN = {
    "no_condition": replace(
        BODIES["triangle"], results=[r for r in BODIES["triangle"].results if not r.purpose]
    ),
    "no_such_output": replace(
        BODIES["triangle"], results=[*BODIES["triangle"].results, Result("more", "new", NOWHERE)]
    ),
    "no_such_input": body(
        binary("new", "Add-1", "state", "stray"),
        more=Parameter("stray", f32[1], port=NOWHERE),
    ),
    "edge_from_nowhere": replace(BODIES["triangle"], back_edges=[(NO_LAYER, "state")]),
    "edge_to_nowhere": replace(BODIES["triangle"], back_edges=[("last", NO_LAYER)]),
    "edge_backwards": replace(BODIES["triangle"], back_edges=[("state", "last")]),
    "edge_from_a_node": replace(BODIES["triangle"], back_edges=[("new", "state")]),
    "edge_of_two_types": replace(BODIES["count"], back_edges=[("each", "state")]),
}
BODIES |= BROKEN
# Outputs that are joined alone, and more than one state.
SCANS = {"scan", "numbers"}
ITERATING = "body=count|triangle|triangle_i32; state=[1,3]; data=-; axis=-"


def takes_data(name):
    return "data" in BODIES[name].names


def is_sliced(layer):
    return sliced(layer) is not None


def sliced(layer):
    """The input that comes in slices, None where there is none."""
    names = BODIES[layer.body].sliced if layer.body in BODIES else ()
    return next((layer.inputs[name] for name in names), None)


def iterations(layer):
    """How often the body runs at most, None for no limit but its own condition."""
    count, goes_on = layer.trip_count.array(), layer.execution_condition.array()
    if not goes_on.all():
        return 0
    return None if count.max() == -1 else int(count.max())


def read(layer):
    """What the body takes of the inputs; all of them where it does not run, and the states stay as they came."""
    if iterations(layer) == 0:
        return layer.inputs.keys()
    return taken(layer, layer.graphs().values()) | {"trip_count", "execution_condition"}


def axes_exist(layer):
    rank = 1 if layer.state is None else layer.state.rank
    axes = [layer.axis if is_sliced(layer) else None, layer.output_axis]
    return all(axis is None or -rank <= axis < rank for axis in axes)


def scan_fits(layer):
    """Whether a body without a state has the input that it takes in slices, or none."""
    if layer.data is not None or layer.output_axis is None:
        return False
    if layer.body == "numbers":
        return layer.state is None and layer.axis is None
    return layer.axis is not None and layer.state.element_type in NUMERIC


def body_fits(layer):
    chosen = BODIES.get(layer.body)
    if chosen is None or not axes_exist(layer):
        return True
    if layer.body in SCANS:
        return scan_fits(layer)
    if layer.state is None:
        return False
    graph = chosen(layer)
    data = [each.tensor for each in graph.parameters if each.name == "data"]
    conditions = (
        not graph.nodes or layer.state.element_type in NUMERIC,
        all(each.port is not None or each.purpose for each in graph.parameters),
        not data
        or (data[0].shape == layer.state.shape and bool(chosen.sliced) == (layer.axis is not None)),
        bool(data) or layer.data is None,
        layer.body != "while_below" or layer.state.shape == (1,),
    )
    return all(conditions)


Loop = Operation(
    "Loop-5",
    "opset5",
    inputs=[
        Index("trip_count", T_COUNT, between(0, 1)),
        Index("execution_condition", T_COND, between(0, 1)),
        Input("state", T, at_least(1), values=SMALL, optional=True),
        Input("data", T, at_least(1), values=SMALL, optional=True),
    ],
    outputs=[
        Output("last", state_type, lambda layer: 0 if layer.body in SCANS else 1),
        Output("each", lambda layer: i64 if layer.body == "count" else state_type(layer)),
    ],
    attributes=[
        Attribute("body", BODIES, required=True),
        Attribute("axis", int, port_map=True),
        Attribute("output_axis", int, port_map=True),
    ],
    reads=read,
    # Parts of other sizes than 1 have cases of their own.
    resizable=lambda first, second: (
        second.output_axis is None
        or second.state is None
        or second.body == "scan"
        or second.state.shape[second.output_axis] == 1
    ),
    # Inputs and outputs are left out. Its ports are three inputs and two outputs, of which the second is joined along
    # axis 1; the body takes trip_count, execution_condition and the current iteration. That the layer 1 of the body is
    # a Parameter and a back edge begins there cannot be.
    examples=examples("""
        trip_count=3; execution_condition=true; state=[2,1]; body=with_outer; output_axis=1 -> [2,1], [2,3]
    """),
    # Without an axis nothing is cut or joined: the page takes any shape.
    unasked={
        "state has rank": "the page states no rank",
        "data has rank": "the page states no rank",
    },
    rules=[
        rule(
            "trip_count and execution_condition are one element each",
            lambda layer: layer.trip_count.size == layer.execution_condition.size == 1,
            ["trip_count=[4,4]", "execution_condition=boolean:[true,true]"],
        ),
        rule(
            "the body gives a condition, port maps name ports of the layer, and back edges lead from "
            "results to parameters of their types",
            lambda layer: layer.body not in BROKEN,
            f"{ITERATING}; output_axis=-; trip_count=3; body={'|'.join(BROKEN)}",
        ),
        rule(
            "axes are among those of the tensors",
            axes_exist,
            ["axis=4", "axis=-5", "output_axis=4", "output_axis=-5"],
        ),
        rule(
            "the loop ends",
            lambda layer: iterations(layer) is not None or layer.body in ("until", "while_below"),
            unasked="a loop without an end is valid, and no device answers it",
        ),
        rule(
            "where nothing is joined there is a last iteration",
            lambda layer: layer.output_axis is not None or iterations(layer) != 0,
            unasked="the page does not say what such an output is",
        ),
        rule(
            "there is a slice for each iteration",
            lambda layer: (
                not is_sliced(layer) or 0 <= iterations(layer) <= sliced(layer).shape[layer.axis]
            ),
            unasked="the page does not say what an iteration without a slice takes",
        ),
        rule(
            "the body takes the shapes and types of its inputs",
            body_fits,
            ["data=[3,4,1,6]", "data=-; axis=-"],
        ),
    ],
    variants=[
        *variants(f"""
            trip-count: the most iterations there are
                trip_count=1|2|3
            no-iteration: the state as it came
                trip_count=0
                execution_condition=false
            scalar-as-1d: trip count and condition may be 1D tensors of one element
                trip_count=4|[4]; execution_condition=[true]
                trip_count=[4]
                trip_count=[4]; execution_condition=[true]; body=with_outer; data=-; axis=-
            axis: slices along any axis, joined along any axis
                axis=0; data=[4,1,3]; state=[1,1,3]; output_axis=0|1
                axis=1; data=[1,4,3]; state=[1,1,3]; output_axis=0|1
                axis=2; data=[1,3,4]; state=[1,3,1]; output_axis=0|2
            negative-axis: counts from the end
                axis=-3; output_axis=2|-2
                output_axis=-2
            joined-parts: what is joined need not be of the size 1
                output_axis=3; body=accumulate|collect
                output_axis=0; trip_count=2
                body=triangle; data=-; axis=-; output_axis=0
            not-joined: the last value is given
                output_axis=-; body=accumulate|collect
            whole-input: without an axis
                body=add_whole; data=[3,1,1,5]; axis=-; output_axis=1|2|-
            current-iteration: the body may take the number of the iteration, from 0
                {ITERATING}; output_axis=0; trip_count=1|4
                {ITERATING}; output_axis=-; trip_count=3
            body-condition: the body says whether it runs again
                body=until; data=[3,1,1,5]; axis=-; trip_count=-1|2|3|10; output_axis=2|-
            condition-on-data: how often depends on values
                body=while_below; state=f32:[1.0]|f32:[8.0]; data=f32:[3.0]; axis=-; trip_count=-1|2|10; output_axis=0|-
            without-state: other inputs are optional, and outputs may all be joined
                body=scan; state=[3,4,1,5]; data=-; trip_count=4|2
                body=scan; state=[1,4]; data=-; axis=1; output_axis=0; trip_count=4
                body=numbers; state=-; data=-; axis=-; output_axis=0; trip_count=1|4
            two-back-edges: more than one state
                body=two_states; state=[2,1,3]; data=[2,1,3]; axis=-; output_axis=1|-; trip_count=1|2|5
            outer-inputs: as the page has it
                body=with_outer; data=-; axis=-; trip_count=1|4
        """),
        variant(
            "moved-type",
            "tensors of any type",
            *(f"body=collect; state={kind}[3,1,1,5]; data={kind}[3,4,1,5]" for kind in ANY),
        ),
        *variants("""
            many-iterations: there is no limit to trip count
                body=triangle; state=[1,3]; data=-; axis=-; output_axis=0; trip_count=500
                state=[1,2]; data=[300,2]; axis=0; output_axis=0; trip_count=300
            fewer-than-slices: trip count ends first
                trip_count=2
                body=collect; trip_count=3
        """),
    ],
    readings=[
        Reading(
            "'Multiple other inputs: tensors of different types and shapes. Optional.'",
            "A state and data of one type, both optional.",
            "A declaration has a list of inputs that ends.",
        ),
        Reading(
            "back edges 'transfer tensor values' from a Result to a Parameter",
            "Both are layers of the body, and of one type.",
            "from-layer and to-layer are such ids; a Parameter states its element type.",
            admits="A back edge that leads elsewhere and transfers nothing; tensors of another type.",
        ),
    ],
)


@Loop.plain
def plain(rank=4):
    """Slices of data are added to the state; what each iteration gives is joined along another axis, of size 1."""
    shape = [3, 4, 1, 5, 2, 3, 1, 2][:rank]
    axis = min(1, rank - 1)
    return {
        "trip_count": shape[axis],
        "execution_condition": True,
        "state": [*shape[:axis], 1, *shape[axis + 1 :]],
        "data": shape,
        "body": "accumulate",
        "axis": axis,
        "output_axis": min(2, rank - 1),
    }


@Loop.random
def layer(draw):
    """Negative axes, and parts that are not of the size 1 where they are joined, have cases of their own."""
    rank = draw.integer(1, 4)
    data = draw.shape(rank, most=5)
    body = draw.choice(
        [body for body in BODIES if body not in ("while_below", "two_states", *SCANS, *BROKEN)]
    )
    axis = draw.integer(0, rank - 1)
    state = [*data[:axis], 1, *data[axis + 1 :]]
    ones = [place for place, size in enumerate(state) if size == 1]
    sliced = bool(BODIES[body].sliced)
    return {
        "trip_count": draw.integer(1, data[axis] if sliced else 5),
        "execution_condition": True,
        "state": state,
        "data": None if not takes_data(body) else data if sliced else state,
        "body": body,
        "axis": axis if sliced else None,
        "output_axis": draw.choice([*ones, None]),
    }


@Loop.adapt
def one_iteration_for_each_slice(layer):
    return {"trip_count": layer.data.shape[layer.axis]}
