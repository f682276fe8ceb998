"""Graphs as plain data: bodies of a layer, what a reference gets of them, and how IR is written of any."""

import numpy as np
import pytest
from lxml import etree

from ir_models import LayerCase, UnknownOperationError, parse
from ir_models.declaration import Attribute, Input, Operation, Output, between
from ir_models.vocabulary.element_types import boolean, element_type, f16, f32, i32, i64
from ir_models.vocabulary.graph import Body, Graph, Node, Parameter, Result
from ir_models.vocabulary.type_sets import types
from ir_models.writing import ir

T = types("T", f32, f16)
NUMPY = {"auto_broadcast": "numpy"}

# All that a body may have: slices, a constant of the layer, what no input feeds, outputs of another type, back edges.
BODY = Body(
    nodes=[
        Node("sum", "Add-1", ("state", "x"), attributes=NUMPY),
        Node("scaled", "Add-1", ("sum", "ones"), attributes=NUMPY),
        Node("below", "Less-1", ("sum", "limit"), NUMPY, boolean),
        Node(
            "joined", "Concat-1", ("sum", "scaled"), attributes={"axis": lambda layer: layer.axis}
        ),
        Node("wide", "Convert-1", ("joined",), {"destination_type": f32}, lambda layer: f32),
    ],
    results=[
        Result("last", "scaled", port=0),
        Result("each", "wide", port=1, axis=lambda layer: layer.axis),
        Result("condition", "below", purpose="execution_condition"),
    ],
    constants={
        "ones": lambda layer: layer.x.element_type.tensor([1.0]),
        "limit": f32.tensor(9.0),
        "unused": f32.tensor(0.0),
    },
    sliced={"x": lambda layer: layer.axis},
    more=[
        Parameter("iteration", i64[1], purpose="current_iteration"),
        Parameter("state", f32[2, 1], purpose=""),
    ],
    back_edges=[("last", "state")],
)

REPEATED = Operation(
    "Repeated-1",
    opset="opset1",
    inputs=[Input("other", T, between(0, 8), optional=True), Input("x", T), Input("y", T)],
    outputs=[Output("last", T), Output("each", T)],
    attributes=[
        Attribute("axis", int, default=1, port_map=True),
        Attribute(
            "body",
            {
                "whole": BODY,
                "straight": Body(results=[Result("same", "y", port=0), Result("z", "x", port=1)]),
                "iterated": Body(
                    [Node("more", "Convert-1", ("iteration",), {"destination_type": f32}, f32)],
                    [Result("same", "more", port=0), Result("z", "x", port=1)],
                    more=[Parameter("iteration", i32[()], purpose="current_iteration")],
                ),
                "unknown": Body([Node("n", "Nothing-1", ("x",))], [Result("r", "n", port=0)]),
            },
            required=True,
        ),
    ],
)
LAYER = REPEATED.layer(x=f16[2, 3], y=[4], axis=1, body="whole")
GRAPH = LAYER.graphs()["body"]


def written(layer):
    """The layer as it is written, and the weights."""
    model = ir.write([LayerCase(layer, "plain")])
    root = etree.fromstring(model.xml)
    (found,) = [each for each in root.iter("layer") if each.get("type") == "Repeated"]
    return found, model.weights


# --- bodies -------------------------------------------------------------------------------------------------------


def test_a_body_takes_the_inputs_that_it_names():
    assert GRAPH.parameters == [
        Parameter("x", f16[2, 1], port=1, axis=1),
        Parameter("state", f32[2, 1]),
    ]
    straight = LAYER.replace(body="straight").graphs()["body"]
    assert straight.parameters == [Parameter("x", f16[2, 3], 1), Parameter("y", f32[4], 2)]
    assert straight.nodes == []


def test_what_depends_on_the_layer_is_known_in_the_graph():
    assert GRAPH.constants == {"ones": f16.tensor([1.0]), "limit": f32.tensor(9.0)}
    assert GRAPH.nodes[3].attributes == {"axis": 1}
    assert GRAPH.nodes[4].element_type == f32
    assert [each.axis for each in GRAPH.results] == [None, 1, None]
    assert LAYER.replace(axis=0).graphs()["body"].parameters[0].tensor == f16[1, 3]


def test_an_input_that_is_not_there_feeds_nothing():
    (x, _) = LAYER.replace(x=None, body="straight").graphs()["body"].parameters
    assert (x.name, x.port) == ("x", None)


def test_an_unknown_body_is_no_graph():
    assert LAYER.replace(body="unheard_of").graphs() == {}
    assert LAYER.replace(body=None).graphs() == {}


# --- graphs -------------------------------------------------------------------------------------------------------


def test_types_of_nodes_are_stated_or_those_of_the_first_input():
    graph = Graph(
        [Parameter("x", f16[2])],
        {"one": i32.tensor(1)},
        [
            Node("sum", "Add-1", ("x", "x")),
            Node("less", "Less-1", ("sum", "x"), element_type=boolean),
            Node("not", "LogicalNot-1", ("less",)),
        ],
        [Result("a", "not", port=0), Result("b", "one"), Result("c", "sum", port=1)],
    )
    assert graph.types() == {"x": f16, "one": i32, "sum": f16, "less": boolean, "not": boolean}
    assert graph.output_types() == [boolean, f16], "of results that are outputs of the layer"


def test_a_reference_gets_plain_data():
    data = GRAPH.data()
    assert data["parameters"] == ["x", "state"]
    assert data["results"] == ["scaled", "wide", "below"]
    assert {n: (v.dtype.name, v.tolist()) for n, v in data["constants"].items()} == {
        "ones": ("float16", [1.0]),
        "limit": ("float32", 9.0),
    }
    assert data["nodes"][4] == {
        "name": "wide",
        "operation": "Convert-1",
        "inputs": ["joined"],
        "attributes": {"destination_type": "f32"},
        "types": ["f32"],
    }
    assert data["nodes"][2]["types"] == ["bool"], "as references name types"


def test_how_it_meets_the_layer_is_plain_data():
    assert GRAPH.port_map() == {
        "inputs": [
            {"port": 1, "axis": 1, "parameter": "x"},
            {"parameter": "state"},
        ],
        "outputs": [
            {"port": 0, "result": 0},
            {"port": 1, "axis": 1, "result": 1},
            {"purpose": "execution_condition", "result": 2},
        ],
    }
    assert GRAPH.arguments("body")["back_edges"] == [(0, "state")]
    iterated = LAYER.replace(body="iterated").graphs()["body"]
    assert iterated.port_map()["inputs"][1] == {
        "purpose": "current_iteration",
        "element_type": "i32",
        "shape": [],
        "parameter": "iteration",
    }


def test_arguments_of_a_reference_are_those_of_the_page():
    arguments = LAYER.arguments()
    assert arguments.keys() == {"body", "port_map", "back_edges"}
    assert arguments["port_map"] == GRAPH.port_map()
    assert LAYER.replace(body="straight").arguments().keys() == {"body", "port_map"}


# --- IR -----------------------------------------------------------------------------------------------------------


def test_a_graph_is_written():
    layer, weights = written(LAYER)
    body = layer.find("body")
    layers = {each.get("name"): each for each in body.find("layers")}
    assert [(name, each.get("type")) for name, each in layers.items()] == [
        ("x", "Parameter"),
        ("state", "Parameter"),
        ("ones", "Const"),
        ("limit", "Const"),
        ("sum", "Add"),
        ("scaled", "Add"),
        ("below", "Less"),
        ("joined", "Concat"),
        ("wide", "Convert"),
        ("last", "Result"),
        ("each", "Result"),
        ("condition", "Result"),
    ]
    names = {each.get("id"): name for name, each in layers.items()}
    edges = {
        (names[e.get("from-layer")], names[e.get("to-layer")], e.get("to-port"))
        for e in body.find("edges")
    }
    assert edges == {
        *(
            (source, node.name, str(n))
            for node in GRAPH.nodes
            for n, source in enumerate(node.inputs)
        ),
        *((result.source, result.name, "0") for result in GRAPH.results),
    }
    assert dict(layers["joined"].find("data").attrib) == {"axis": "1"}
    assert dict(layers["wide"].find("data").attrib) == {"destination_type": "f32"}
    precisions = {
        name: each.find("output/port").get("precision")
        for name, each in layers.items()
        if each.find("output") is not None
    }
    assert precisions == {name: kind.precision for name, kind in GRAPH.types().items()}
    place = int(layers["limit"].find("data").get("offset"))
    assert np.frombuffer(weights[place : place + 4], np.float32).tolist() == [9.0]


def test_port_maps_and_back_edges_are_written():
    layer, _ = written(LAYER)
    ids = {each.get("name"): each.get("id") for each in layer.find("body/layers")}
    assert [(each.tag, dict(each.attrib)) for each in layer.find("port_map")] == [
        ("input", {"external_port_id": "1", "internal_layer_id": ids["x"], "axis": "1"}),
        ("output", {"external_port_id": "3", "internal_layer_id": ids["last"]}),
        ("output", {"external_port_id": "4", "internal_layer_id": ids["each"], "axis": "1"}),
        (
            "output",
            {
                "external_port_id": "-1",
                "internal_layer_id": ids["condition"],
                "purpose": "execution_condition",
            },
        ),
    ]
    (edge,) = layer.find("back_edges")
    assert dict(edge.attrib) == {"from-layer": ids["last"], "to-layer": ids["state"]}
    assert written(LAYER.replace(body="straight"))[0].find("back_edges") is None


def test_neither_body_nor_port_map_is_an_attribute():
    assert written(LAYER)[0].find("data") is None


def test_an_operation_that_nobody_declares_is_told():
    with pytest.raises(UnknownOperationError, match="unknown operation 'Nothing-1'"):
        written(LAYER.replace(body="unknown"))


def test_constants_of_bodies_keep_the_shapes_that_they_were_written_with():
    case = parse(
        "If-8/variant.inputs-left-out/boolean[],f32[2,5,3]/then_body=first,else_body=constant/shape=dims"
    )
    assert [layer.x.shape for layer in case.layers] == [(2, 5, 3), (3, 6, 4), (2, 5, 3)]
    numbers = [case.arguments(n)["else_body"]["constants"]["numbers"] for n in range(3)]
    assert [each.shape for each in numbers] == [(2, 5, 3)] * 3


@pytest.mark.parametrize("name", ["i4", "u4", "i8", "u8"])
def test_constants_of_bodies_fit_in_narrow_types_of_layers_that_grow(name):
    kind = element_type(name)
    layer = f"boolean[],{name}[9,5,6]"
    case = parse(f"If-8/variant.inputs-left-out/{layer}/then_body=first,else_body=constant")
    numbers = case.arguments(0)["else_body"]["constants"]["numbers"].astype(int).ravel()
    most = min(270, kind.integer_range[1])
    assert numbers.tolist() == [k % most + 1 for k in range(270)]
