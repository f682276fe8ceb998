"""If: one of two bodies, as a condition says (page If-8)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.bodies import SMALL, binary, convert, taken
from ir_models.vocabulary.element_types import ANY, NUMERIC, boolean, f32, i32, i64
from ir_models.vocabulary.graph import Body, Node, Parameter, Result

T_COND = types("T_COND", "boolean")
T = types("T", "any type")
T2 = types("T2", "any type")


def x_type(layer):
    return f32 if layer.x is None else layer.x.element_type


def counting(layer):
    """1, 2, 3, ... in the type and shape of x; after the largest integer of the type from 1 again."""
    kind, size = layer.x.element_type, layer.x.size
    most = min(size, kind.integer_range[1]) if kind.is_integer else size
    return kind.tensor(np.resize(np.arange(1, most + 1), layer.x.shape))


def body(*nodes, outputs=""):
    """The outputs of the nodes, or those named, are the outputs of the layer."""
    sources = outputs.split() or [node.name for node in nodes]
    results = [Result(f"output{k}", source, port=k) for k, source in enumerate(sources)]
    constants = {
        "numbers": counting,
        "three": f32.tensor([3, 1, 2]),
        "five": f32.tensor([5, -4, 0]),
    }
    return Body(nodes, results, constants)


ADD, SUBTRACT = binary("sum", "Add-1", "x", "y"), binary("difference", "Subtract-1", "x", "y")
LESS = binary("is_less", "Less-1", "x", "y", output=boolean)
GREATER = binary("is_greater", "Greater-1", "x", "y", output=boolean)

BODIES = {
    "first": body(outputs="x"),
    "second": body(outputs="y"),
    "add": body(ADD),
    "subtract": body(SUBTRACT),
    "add_z": body(binary("sum", "Add-1", "x", "z")),
    "concat": body(Node("joined", "Concat-1", ("x", "y"), {"axis": 0})),
    "less": body(LESS),
    "greater": body(GREATER),
    "convert_z": body(convert("converted", "Convert-1", "z", x_type)),
    "constant": body(outputs="numbers"),
    "sum_and_less": body(ADD, LESS),
    "difference_and_greater": body(SUBTRACT, GREATER),
    "swap": body(outputs="y x"),
    "keep": body(outputs="x y"),
    # Inputs of two types and shapes, outputs as well.
    "first_and_third": body(outputs="x z"),
    "second_and_third": body(outputs="y z"),
    # What a body may be that takes nothing, not even the type of another input.
    "three": body(outputs="three"),
    "five": body(outputs="five"),
}
# Ports that the layer does not have.
NOWHERE = 77
# What the page excludes: a body without a result, and port maps that do not meet the layer.
BROKEN = {
    "no_result": Body(),
    "no_such_output": Body([ADD], [Result("output0", "sum", port=NOWHERE)]),
    "no_such_input": Body(
        [binary("sum", "Add-1", "x", "stray")],
        [Result("output0", "sum", port=0)],
        more=[Parameter("stray", f32[2, 5, 3], port=NOWHERE)],
    ),
}
BODIES |= BROKEN
ALONE = {"three", "five"}
MOVING = {
    *("first", "second", "concat", "swap", "keep", "first_and_third", "second_and_third"),
    *ALONE,
}


def graphs(layer):
    return layer.graphs().values()


def output_types(layer):
    """The types of the outputs of each body."""
    return [graph.output_types() for graph in graphs(layer)]


def output_type(number):
    """The type of an output, by a body that has it: in a valid layer both have the same."""
    return lambda layer: next((t[number] for t in output_types(layer) if number < len(t)), f32)


def either(layer, state):
    return state.randint(0, 2, layer.cond.shape).astype(bool)


def whole_numbers(layer, state):
    """Numbers that each type converts alike; any values in a type that is not converted."""
    kind = layer.z.element_type
    least = 0 if kind.kind == "uint" else -100
    return state.randint(least, 101, layer.z.shape) if kind in NUMERIC else None


def present(layer):
    return [layer.inputs[name] is not None for name in ("x", "y", "z")]


def bodies_fit(layer):
    chosen = {layer.then_body, layer.else_body}
    x, y, z = layer.x, layer.y, layer.z
    if x is None:
        return chosen <= ALONE
    conditions = (
        y is None or x.shape == y.shape or chosen <= MOVING - {"concat"},
        "concat" not in chosen or x.rank > 0,
        "add_z" not in chosen or z == x,
        "convert_z" not in chosen or (z.element_type in (i32, i64) and x.element_type == f32),
        chosen <= MOVING or x.element_type in NUMERIC,
    )
    return all(conditions)


def read(layer):
    """cond, and what the bodies take of the inputs: the one that a stated condition chooses, or both."""
    bodies, condition = layer.graphs(), layer.cond.value
    if condition is not None:
        chosen = "then_body" if layer.cond.array().all() else "else_body"
        bodies = {name: body for name, body in bodies.items() if name == chosen}
    return taken(layer, bodies.values()) | {"cond"}


ALIKE = [
    ["add", "subtract", "first", "second", "constant", "concat"],
    ["less", "greater"],
    ["swap", "keep"],
    ["sum_and_less", "difference_and_greater"],
]
SHAPES = ("[]", "[7]", "[3,4]", "[2,1,3,5]", "[2,1,3,2,4]", "[2,1,2,3,1,2,1,2]")
EITHER = "cond=boolean:false|boolean:true"


If = Operation(
    "If-8",
    "opset8",
    inputs=[
        Input("cond", T_COND, between(0, 1), values=either),
        Input("x", T, ANY_RANK, values=SMALL, optional=True),
        Input("y", T, ANY_RANK, values=SMALL, optional=True),
        Input("z", T2, ANY_RANK, values=whole_numbers, optional=True),
    ],
    outputs=[
        Output("output_0", output_type(0)),
        Output("output_1", output_type(1), lambda layer: max(map(len, output_types(layer))) - 1),
    ],
    attributes=[
        Attribute("then_body", BODIES, required=True),
        Attribute("else_body", BODIES, required=True),
    ],
    reads=read,
    # Its port maps name the output 0; the layer's output has the id 4.
    examples=examples(
        "cond=boolean[]; x=[2,4]; y=[2,4]; z=[2,4]; then_body=add; else_body=add_z -> [2,4]"
    ),
    rules=[
        rule(
            "a body has a result",
            lambda layer: all(graph.results for graph in graphs(layer)),
            "then_body=no_result; else_body=no_result",
        ),
        rule(
            "port maps name ports of the layer and layers of the body",
            lambda layer: not {layer.then_body, layer.else_body} & (BROKEN.keys() - {"no_result"}),
            ["then_body=no_such_output|no_such_input", "else_body=no_such_output|no_such_input"],
        ),
        rule("cond is one element", lambda layer: layer.cond.size == 1, ["cond=[2]", "cond=[0]"]),
        rule(
            "both bodies have as many outputs",
            lambda layer: len(set(map(len, output_types(layer)))) == 1,
            ["then_body=keep", "else_body=sum_and_less"],
        ),
        rule(
            "outputs of both bodies have one type",
            lambda layer: all(a == b for a, b in zip(*output_types(layer), strict=False)),
            ["then_body=less", "else_body=greater", "then_body=sum_and_less; else_body=swap"],
        ),
        rule(
            "an input is left out only with those after it: ports are counted",
            lambda layer: present(layer) == sorted(present(layer), reverse=True),
            unasked="IR tells inputs by their order: the next one takes the place",
        ),
        rule(
            "bodies take inputs that are there",
            lambda layer: all(p.port is not None for g in graphs(layer) for p in g.parameters),
            "y=-; z=-; then_body=first",
        ),
        rule(
            "the layers of bodies take the shapes and types of their inputs",
            bodies_fit,
            ["y=[2,4,3]", "then_body=add_z"],
        ),
    ],
    variants=[
        *variants(f"""
            branch: the condition is a scalar or has one element
                cond=boolean:false|boolean:true|boolean:[false]|boolean:[true]
            bodies: each body in either place
                then_body=add|subtract; else_body=subtract|add
                then_body=first|second; else_body=second|first
                then_body=add_z|first; else_body=first|add_z; z=[2,5,3]
                then_body=concat|constant; else_body=constant|concat
                then_body=less|greater; else_body=greater|less
                then_body=convert_z|second; else_body=second|convert_z; z=i32[4,7]
                then_body=sum_and_less|difference_and_greater; else_body=difference_and_greater|sum_and_less
                then_body=swap|keep; else_body=keep|swap
            outputs-of-different-types: outputs have any type
                {EITHER}; then_body=sum_and_less; else_body=difference_and_greater
                then_body=less; else_body=greater
            outputs-of-different-shapes: the bodies may give different shapes
                {EITHER}; then_body=add; else_body=concat
                {EITHER}; then_body=concat; else_body=first
            two-outputs: or more
                {EITHER}; then_body=swap; else_body=keep
            no-body-inputs: a body may take nothing
                {EITHER}; then_body=constant; else_body=add
                {EITHER}; then_body=first; else_body=constant
            straight-through: no nodes
                {EITHER}; then_body=first; else_body=second
            inputs-of-different-types: inputs have any type
                z=i32[4,7]|i64[4,7]; {EITHER}; then_body=add; else_body=convert_z
                z=i32[4,7]|u8[7]|f16[]; {EITHER}; then_body=first_and_third; else_body=second_and_third
                y=[4,3]; z=i64[7]; {EITHER}; then_body=first_and_third; else_body=second_and_third
            inputs-left-out: there are as many inputs as bodies take
                y=-; z=-; then_body=first; else_body=constant
                z=-
            condition-alone: all other inputs are optional
                x=-; y=-; z=-; {EITHER}; then_body=three; else_body=five
                cond=[]; x=-; y=-; z=-; then_body=three; else_body=five
        """),
        variant(
            "moved-type",
            "data of any type",
            *(f"cond=boolean:true; x={t}; y={t}; then_body=swap; else_body=keep" for t in ANY),
        ),
        variant("data-rank", "data of any rank", *(f"x={shape}; y={shape}" for shape in SHAPES)),
        *variants(f"""
            z-type: an input that no body takes
                z={"|".join(map(str, ANY))}
        """),
    ],
    readings=[
        Reading(
            "'Multiple other inputs: Tensors of different types and shapes. Optional.'",
            "Up to three inputs of two types, all of them optional.",
            "A declaration has a list of inputs that ends; what more of them would show is tested by "
            "these.",
        ),
        Reading(
            "the type of cond, one element of cond",
            "Other types and more elements are invalid.",
            "'A scalar or 1D tensor with 1 element of boolean type'.",
            admits="A condition that a device converts.",
        ),
    ],
)


@If.plain
def plain(rank=0):
    """Two results that differ everywhere; z is an input that no body takes."""
    shapes = {"cond": (1,) * rank, "x": [2, 5, 3], "y": [2, 5, 3], "z": [4, 7]}
    return {**shapes, "then_body": "add", "else_body": "subtract"}


@If.random
def layer(draw):
    shape = draw.shape(draw.integer(1, 4), most=5)
    alike = draw.choice(ALIKE)
    return {
        "cond": draw.choice([(), (1,)]),
        "x": shape,
        "y": shape,
        "z": draw.choice([None, [4, 7]]),
        "then_body": draw.choice(alike),
        "else_body": draw.choice(alike),
    }
