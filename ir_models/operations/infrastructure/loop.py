"""Loop: a body that runs again and again (page Loop-5)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Interval,
    Operation,
    Output,
    Within,
    at_least,
    between,
    example,
)
from ir_models.element_types import ANY, NUMERIC, boolean, f32, i32, i64, types
from ir_models.graph import Graph, Node, Parameter, Result

T_COUNT = types("T_COUNT", i64, i32)
T_COND = types("T_COND", boolean)
T = types("T", ANY)

# The bodies. All carry a state from one iteration to the next, which is the first output, and give it, or the number
# of the iteration, each time: joined along output_axis, or that of the last iteration, that is the second output.
NAMES = (
    "accumulate",  # state + a slice of data along axis
    "add_whole",  # state + data
    "collect",  # a slice of data, and no computation
    "count",  # the state as it is, and the iteration
    "triangle",  # state + iteration
    "triangle_i32",  # the same, with the iteration as a scalar of the type i32
    "until",  # state + data, as long as the iteration is below 2
    "while_below",  # state + data, as long as that is below 10
    "with_outer",  # state + iteration + trip_count, as long as execution_condition
)
SLICED = ("accumulate", "collect")
WITH_DATA = ("accumulate", "add_whole", "collect", "until", "while_below")
MOVING = ("collect", "count")

ADD, LESS = ({"auto_broadcast": "numpy"},) * 2


def sliced(tensor, axis):
    """What one iteration sees of a tensor."""
    if axis is None or not -tensor.rank <= axis < tensor.rank:
        return tensor
    place = axis % tensor.rank
    return tensor.with_shape(*tensor.shape[:place], 1, *tensor.shape[place + 1 :])


def body_of(layer):
    name, kind = layer.body, state_type(layer)
    parameters = [Parameter("state", layer.state or f32[1], port=layer.state and 2)]
    if name in WITH_DATA:
        axis = layer.axis if name in SLICED else None
        data = layer.data or f32[1]
        port = layer.data and 3
        parameters.append(Parameter("data", sliced(data, axis), port=port, axis=axis))
    constants = {"go_on": boolean.tensor(True)}
    nodes, new, each, condition = [], "new", "new", "go_on"
    if name in ("accumulate", "add_whole", "until", "while_below"):
        nodes.append(Node("new", "Add-1", ("state", "data"), kind, ADD))
    if name == "collect":
        new = each = "data"
    if name == "count":
        new, each = "state", "iteration"
    if name in ("count", "triangle", "until", "with_outer"):
        parameters.append(Parameter("iteration", i64[1], purpose="current_iteration"))
    if name == "triangle_i32":
        parameters.append(Parameter("iteration", i32[()], purpose="current_iteration"))
    if name.startswith("triangle"):
        nodes += [convert("iteration", kind), add("new", "state", "iteration_", kind)]
    if name == "with_outer":
        # The page's example gives trip_count and execution_condition to the body.
        parameters.insert(0, Parameter("trip_count", layer.trip_count, port=0))
        parameters.insert(1, Parameter("condition_", layer.execution_condition, port=1))
        nodes += [
            convert("iteration", kind),
            convert("trip_count", kind),
            add("count", "iteration_", "trip_count_", kind),
            add("new", "state", "count", kind),
        ]
        condition = "condition_"
    if name == "until":
        constants["limit"] = i64.tensor([2])
        nodes.append(Node("is_below", "Less-1", ("iteration", "limit"), boolean, LESS))
        condition = "is_below"
    if name == "while_below":
        constants["limit"] = kind.tensor([10])
        nodes.append(Node("is_below", "Less-1", ("new", "limit"), boolean, LESS))
        condition = "is_below"
    axis = 0 if name == "count" and layer.output_axis is not None else layer.output_axis
    if condition != "go_on":
        del constants["go_on"]
    return Graph(
        parameters,
        constants,
        nodes,
        [
            Result("last", new, port=0),
            Result("each", each, port=1, axis=axis),
            Result("condition", condition, purpose="execution_condition"),
        ],
        back_edges=[("last", "state")],
    )


BODIES = dict.fromkeys(NAMES, body_of)


def convert(source, kind):
    attributes = {"destination_type": kind}
    return Node(f"{source}_", "Convert-1", (source,), kind, attributes)


def add(name, first, second, kind):
    return Node(name, "Add-1", (first, second), kind, ADD)


def state_type(layer):
    return f32 if layer.state is None else layer.state.element_type


def small_numbers(layer, kind):
    """Numbers whose sums fit in each type; any values where the body only moves data."""
    return Interval(-20, 20) if kind in NUMERIC else None


Loop = Operation(
    "Loop-5",
    opset="opset5",
    inputs=[
        Index("trip_count", T_COUNT, between(0, 1)),
        Index("execution_condition", T_COND, between(0, 1)),
        # The page has any number of other inputs.
        Input("state", T, at_least(1), values=Within(small_numbers)),
        Input("data", T, at_least(1), values=Within(small_numbers), optional=True),
    ],
    outputs=[
        Output("last", state_type),
        Output("each", lambda layer: i64 if layer.body == "count" else state_type(layer)),
    ],
    attributes=[
        Attribute("body", BODIES, required=True),
        Attribute("axis", int, port_map=True),
        Attribute("output_axis", int, port_map=True),
    ],
    # Parts of other sizes than 1 have cases of their own.
    resizable=lambda first, second: second.state.shape[second.output_axis] == 1,
    examples=[
        example(
            # Inputs and outputs are left out. Its ports are three inputs and two outputs, of which the second is joined
            # along axis 1; the body takes trip_count, execution_condition and the current iteration. That the layer 1
            # of the body is a Parameter and a back edge begins there cannot be.
            trip_count=3,
            execution_condition=True,
            state=f32[2, 1],
            body="with_outer",
            output_axis=1,
            output=[[2, 1], [2, 3]],
            ports=[0, 1, 2, 3, 4],
        )
    ],
    variants={
        "trip-count": [{"trip_count": count} for count in (1, 2, 3)],
        # Nothing is carried and nothing joined: the state as it came.
        "no-iteration": [{"trip_count": 0}, {"execution_condition": False}],
        "scalar-or-1d": [
            {"trip_count": [4]},
            {"execution_condition": [True]},
            {
                "trip_count": [4],
                "execution_condition": [True],
                "body": "with_outer",
                "data": None,
                "axis": None,
            },
        ],
        "axis": [
            {"axis": axis, "data": data, "state": state, "output_axis": output_axis}
            for axis, data, state in (
                (0, [4, 1, 3], [1, 1, 3]),
                (1, [1, 4, 3], [1, 1, 3]),
                (2, [1, 3, 4], [1, 3, 1]),
            )
            for output_axis in (0, 1, 2)
            if state[output_axis] == 1
        ],
        "negative-axis": [{"axis": -3}, {"axis": -3, "output_axis": -2}, {"output_axis": -2}],
        # What is joined need not be of the size 1.
        "joined-parts": [
            {"output_axis": 3},
            {"output_axis": 0, "trip_count": 2},
            {"body": "collect", "output_axis": 3},
            {"body": "triangle", "data": None, "axis": None, "output_axis": 0},
        ],
        "not-joined": [{"output_axis": None}, {"body": "collect", "output_axis": None}],
        "whole-input": [
            {"body": "add_whole", "data": [3, 1, 1, 5], "axis": None, "output_axis": axis}
            for axis in (1, 2, None)
        ],
        "current-iteration": [
            {
                "body": body,
                "state": [1, 3],
                "data": None,
                "axis": None,
                "output_axis": axis,
                "trip_count": count,
            }
            for body in ("count", "triangle", "triangle_i32")
            for axis, count in ((0, 4), (0, 1), (None, 3))
        ],
        "body-condition": [
            {
                "body": "until",
                "data": [3, 1, 1, 5],
                "axis": None,
                "trip_count": count,
                "output_axis": axis,
            }
            for count in (-1, 2, 3, 10)
            for axis in (2, None)
        ],
        "condition-on-data": [
            {
                "body": "while_below",
                "state": f32.tensor([state]),
                "data": f32.tensor([3.0]),
                "axis": None,
                "output_axis": axis,
                "trip_count": count,
            }
            for state in (1.0, 8.0)
            for count in (-1, 2, 10)
            for axis in (0, None)
        ],
        "outer-inputs": [
            {"body": "with_outer", "data": None, "axis": None, "trip_count": count}
            for count in (1, 4)
        ],
        "moved-type": [
            {"body": "collect", "state": kind[3, 1, 1, 5], "data": kind[3, 4, 1, 5]} for kind in ANY
        ],
        "many-iterations": [
            {
                "body": "triangle",
                "state": [1, 3],
                "data": None,
                "axis": None,
                "output_axis": 0,
                "trip_count": 500,
            },
            {"state": [1, 2], "data": [300, 2], "axis": 0, "output_axis": 0, "trip_count": 300},
        ],
        "fewer-than-slices": [{"trip_count": 2}, {"body": "collect", "trip_count": 3}],
    },
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
    body = draw.choice([body for body in NAMES if body != "while_below"])
    axis = draw.integer(0, rank - 1)
    state = [*data[:axis], 1, *data[axis + 1 :]]
    ones = [place for place, size in enumerate(state) if size == 1]
    return {
        "trip_count": draw.integer(1, data[axis] if body in SLICED else 5),
        "execution_condition": True,
        "state": state,
        "data": None if body not in WITH_DATA else data if body in SLICED else state,
        "body": body,
        "axis": axis if body in SLICED else None,
        "output_axis": draw.choice([*ones, None]),
    }


def iterations(layer):
    """How often the body runs at most, None for no limit but its own condition."""
    count = layer.trip_count.value
    count = count[0] if isinstance(count, tuple) else count
    condition = layer.execution_condition.value
    if not (condition[0] if isinstance(condition, tuple) else condition):
        return 0
    return None if count == -1 else count


@Loop.rule(
    "trip_count and execution_condition are one element each",
    broken=[{"trip_count": [4, 4]}, {"execution_condition": boolean.tensor([True, True])}],
)
def one_element_each(layer):
    return layer.trip_count.size == 1 and layer.execution_condition.size == 1


@Loop.rule(
    "axes are among those of the tensors",
    broken=[{"axis": 4}, {"axis": -5}, {"output_axis": 4}, {"output_axis": -5}],
)
def axes_in_range(layer):
    rank = layer.state.rank
    return all(
        axis is None or -rank <= axis < rank
        for axis in ((layer.axis if layer.data else None), layer.output_axis)
    )


@Loop.rule("the loop ends")
def ends(layer):
    return iterations(layer) is not None or layer.body in ("until", "while_below")


@Loop.rule("where nothing is joined there is a last iteration")
def has_a_last_iteration(layer):
    return layer.output_axis is not None or iterations(layer) != 0


@Loop.rule("there is a slice for each iteration")
def slices_suffice(layer):
    if layer.body not in SLICED or layer.data is None:
        return True
    return 0 <= iterations(layer) <= layer.data.shape[layer.axis]


@Loop.rule("the body takes the shapes and types of its inputs")
def body_fits(layer):
    if layer.body is None or not axes_in_range(layer):
        return True
    if layer.body not in MOVING and layer.state.element_type not in NUMERIC:
        return False
    if layer.body not in WITH_DATA:
        return layer.data is None
    if layer.data is None:
        return False
    if layer.body == "while_below" and layer.state.shape != (1,):
        return False
    if layer.body in SLICED:
        return layer.axis is not None and sliced(layer.data, layer.axis).shape == layer.state.shape
    return layer.axis is None and layer.data.shape == layer.state.shape
