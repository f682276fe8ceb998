"""If: one of two bodies, as a condition says (page If-8)."""

from functools import partial

import numpy as np

from ir_models.declaration import (
    ANY_RANK,
    Attribute,
    Input,
    Interval,
    Operation,
    Output,
    Within,
    between,
    example,
)
from ir_models.element_types import ANY, NUMERIC, boolean, f32, i32, i64, types
from ir_models.graph import Graph, Node, Parameter, Result

T_COND = types("T_COND", boolean)
T = types("T", ANY)
T2 = types("T2", ANY)

# A body is its name: which inputs it needs, of what types its outputs are ("T" is that of x), and its layers.
PORTS = {"x": 1, "y": 2, "z": 3}
NEEDS = {
    "first": "x",
    "second": "y",
    "add": "xy",
    "subtract": "xy",
    "add_z": "xz",
    "concat": "xy",
    "less": "xy",
    "greater": "xy",
    "convert_z": "z",
    "constant": "",
    "sum_and_less": "xy",
    "difference_and_greater": "xy",
    "swap": "xy",
    "keep": "xy",
}
ARITHMETIC = {name for name in NEEDS if name not in ("first", "second", "concat", "swap", "keep")}


def x_type(layer):
    return f32 if layer.x is None else layer.x.element_type


def given_types(name):
    """The type of each output of a body, None for that of x."""
    if name in ("less", "greater"):
        return (boolean,)
    if name in ("sum_and_less", "difference_and_greater"):
        return (None, boolean)
    return (None, None) if name in ("swap", "keep") else (None,)


def body_of(name, layer):
    """The network of this name."""
    kind = x_type(layer)
    parameters = [
        # An invalid layer may lack an input: then nothing feeds the parameter.
        Parameter(each, layer.inputs[each] or f32[()], port=layer.inputs[each] and PORTS[each])
        for each in sorted(NEEDS[name])
    ]
    broadcast = {"auto_broadcast": "numpy"}
    nodes = {
        "add": [Node("sum", "Add-1", ("x", "y"), kind, broadcast)],
        "subtract": [Node("difference", "Subtract-1", ("x", "y"), kind, broadcast)],
        "add_z": [Node("sum", "Add-1", ("x", "z"), kind, broadcast)],
        "concat": [Node("joined", "Concat-1", ("x", "y"), kind, {"axis": 0})],
        "less": [Node("is_less", "Less-1", ("x", "y"), boolean, broadcast)],
        "greater": [Node("is_greater", "Greater-1", ("x", "y"), boolean, broadcast)],
        "convert_z": [Node("converted", "Convert-1", ("z",), kind, {"destination_type": kind})],
    }
    nodes["sum_and_less"] = nodes["add"] + nodes["less"]
    nodes["difference_and_greater"] = nodes["subtract"] + nodes["greater"]
    chosen = nodes.get(name, [])
    outputs = {"first": ["x"], "second": ["y"], "constant": ["numbers"]}
    outputs |= {"swap": ["y", "x"], "keep": ["x", "y"]}
    sources = outputs.get(name, [node.name for node in chosen])
    constants = {"numbers": numbers(layer.x)} if name == "constant" else {}
    results = [Result(f"output{k}", source, port=k) for k, source in enumerate(sources)]
    return Graph(parameters, constants, chosen, results)


def numbers(tensor):
    """1, 2, 3, ... in the type and shape of a tensor."""
    return tensor.element_type.tensor(np.arange(1, tensor.size + 1).reshape(tensor.shape).tolist())


BODIES = {name: partial(body_of, name) for name in NEEDS}


def outputs_of(layer):
    """The outputs of the body that has more: in a valid layer both have the same."""
    return max(map(given_types, (layer.then_body, layer.else_body)), key=len)


def any_value(layer, state):
    return state.randint(0, 2, layer.cond.shape).astype(bool)


def small_numbers(layer, kind):
    """Numbers whose sums fit in each type; any values where the bodies only move data."""
    return Interval(-20, 20) if kind in NUMERIC else None


def whole_numbers(layer, state):
    """Numbers that each type converts alike; any values in a type that is not converted."""
    kind = layer.z.element_type
    least = 0 if kind.kind == "uint" else -100
    return state.randint(least, 101, layer.z.shape) if kind in NUMERIC else None


If = Operation(
    "If-8",
    opset="opset8",
    inputs=[
        Input("cond", T_COND, between(0, 1), values=any_value),
        # The page has any number of other inputs.
        Input("x", T, ANY_RANK, values=Within(small_numbers)),
        Input("y", T, ANY_RANK, values=Within(small_numbers), optional=True),
        Input("z", T2, ANY_RANK, values=whole_numbers, optional=True),
    ],
    outputs=[
        Output("output_0", lambda layer: outputs_of(layer)[0] or x_type(layer)),
        Output(
            "output_1",
            lambda layer: (*outputs_of(layer), None)[1] or x_type(layer),
            count=lambda layer: len(outputs_of(layer)) - 1,
        ),
    ],
    attributes=[
        Attribute("then_body", BODIES, required=True),
        Attribute("else_body", BODIES, required=True),
    ],
    examples=[
        example(
            cond=boolean[()],
            x=f32[2, 4],
            y=f32[2, 4],
            z=f32[2, 4],
            then_body="add",
            else_body="add_z",
            # Its port maps name the output 0; the layer's output has the id 4.
            output=[2, 4],
            ports=[0, 1, 2, 3, 4],
        )
    ],
    variants={
        "branch": [{"cond": boolean.tensor(cond)} for cond in (False, True)]
        + [{"cond": boolean.tensor([cond])} for cond in (False, True)],
        "bodies": [
            {"then_body": then, "else_body": other, "z": z}
            for one, two, z in (
                ("add", "subtract", [4, 7]),
                ("first", "second", [4, 7]),
                ("add_z", "first", [2, 5, 3]),
                ("concat", "constant", [4, 7]),
                ("less", "greater", [4, 7]),
                ("convert_z", "second", i32[4, 7]),
                ("sum_and_less", "difference_and_greater", [4, 7]),
                ("swap", "keep", [4, 7]),
            )
            for then, other in ((one, two), (two, one))
        ],
        "outputs-of-different-types": [
            {
                "cond": boolean.tensor(cond),
                "then_body": "sum_and_less",
                "else_body": "difference_and_greater",
            }
            for cond in (False, True)
        ]
        + [{"then_body": "less", "else_body": "greater"}],
        "outputs-of-different-shapes": [
            {"cond": boolean.tensor(cond), "then_body": then, "else_body": other}
            for then, other in (("add", "concat"), ("concat", "first"))
            for cond in (False, True)
        ],
        "two-outputs": [
            {"cond": boolean.tensor(cond), "then_body": "swap", "else_body": "keep"}
            for cond in (False, True)
        ],
        "no-body-inputs": [
            {"cond": boolean.tensor(cond), "then_body": then, "else_body": other}
            for then, other in (("constant", "add"), ("first", "constant"))
            for cond in (False, True)
        ],
        "straight-through": [
            {"cond": boolean.tensor(cond), "then_body": "first", "else_body": "second"}
            for cond in (False, True)
        ],
        "inputs-of-different-types": [
            {
                "cond": boolean.tensor(cond),
                "x": f32[2, 5, 3],
                "z": kind[4, 7],
                "then_body": "add",
                "else_body": "convert_z",
            }
            for kind in (i32, i64)
            for cond in (False, True)
        ],
        "inputs-left-out": [
            {"y": None, "z": None, "then_body": "first", "else_body": "constant"},
            {"z": None},
        ],
        "moved-type": [
            {
                "cond": boolean.tensor(True),
                "x": kind[2, 5, 3],
                "y": kind[2, 5, 3],
                "then_body": "swap",
                "else_body": "keep",
            }
            for kind in ANY
        ],
        "data-rank": [
            {"x": shape, "y": shape}
            for shape in ([], [7], [3, 4], [2, 1, 3, 5], [2, 1, 3, 2, 4], [2, 1, 2, 3, 1, 2, 1, 2])
        ],
        "z-type": [{"z": kind[4, 7]} for kind in ANY],
    },
)


@If.plain
def plain(rank=0):
    """Two results that differ everywhere; z is an input that no body takes."""
    return {
        "cond": boolean[(1,) * rank],
        "x": [2, 5, 3],
        "y": [2, 5, 3],
        "z": [4, 7],
        "then_body": "add",
        "else_body": "subtract",
    }


@If.random
def layer(draw):
    shape = draw.shape(draw.integer(1, 4), most=5)
    alike = draw.choice(
        [
            ["add", "subtract", "first", "second", "constant", "concat"],
            ["less", "greater"],
            ["swap", "keep"],
            ["sum_and_less", "difference_and_greater"],
        ]
    )
    return {
        "cond": boolean[draw.choice([(), (1,)])],
        "x": shape,
        "y": shape,
        "z": draw.choice([None, [4, 7]]),
        "then_body": draw.choice(alike),
        "else_body": draw.choice(alike),
    }


def names(layer):
    found = (layer.then_body, layer.else_body)
    if None in found:
        raise ValueError("there is no body")
    return found


@If.rule("cond is one element", broken=[{"cond": [2]}, {"cond": [0]}])
def one_condition(layer):
    return layer.cond.size == 1


@If.rule(
    "both bodies have as many outputs",
    broken=[{"then_body": "keep"}, {"else_body": "sum_and_less"}],
)
def as_many_outputs(layer):
    then, other = map(given_types, names(layer))
    return len(then) == len(other)


@If.rule(
    "outputs of both bodies have one type",
    broken=[
        {"then_body": "less"},
        {"else_body": "greater"},
        {"then_body": "sum_and_less", "else_body": "swap"},
    ],
)
def one_type_of_outputs(layer):
    then, other = map(given_types, names(layer))
    kind = layer.x.element_type
    return all((a or kind) == (b or kind) for a, b in zip(then, other, strict=False))


@If.rule("an input is left out only with those after it: ports are counted")
def left_out_from_the_end(layer):
    return layer.y is not None or layer.z is None


@If.rule("bodies take inputs that are there")
def inputs_are_there(layer):
    needed = {each for name in names(layer) for each in NEEDS[name]}
    return all(layer.inputs[each] is not None for each in needed)


@If.rule("the layers of bodies take the shapes and types of their inputs")
def bodies_fit(layer):
    chosen = set(names(layer))
    if layer.y is not None and chosen - {"swap", "keep", "first", "second"}:
        # Concat needs an axis.
        same = layer.x.shape == layer.y.shape and (layer.x.rank > 0 or "concat" not in chosen)
    else:
        same = True
    numbers_only = not chosen & ARITHMETIC or layer.x.element_type in NUMERIC
    added = "add_z" not in chosen or (
        (layer.z.element_type, layer.z.shape) == (layer.x.element_type, layer.x.shape)
    )
    converted = "convert_z" not in chosen or (
        layer.z.element_type in (i32, i64) and layer.x.element_type == f32
    )
    return same and numbers_only and added and converted
