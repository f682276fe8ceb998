"""Graphs as plain data: what a reference gets of the bodies of a layer."""

from dataclasses import replace

import numpy as np

from ir_models.catalog import operation
from ir_models.vocabulary.element_types import boolean, f16, f32, i64
from ir_models.vocabulary.graph import Body, Graph, Node, Parameter, Result

LOOP = operation("Loop-5")


def loop(**changes):
    layer = {
        "trip_count": 4,
        "execution_condition": True,
        "state": f16[3, 1, 1, 5],
        "data": f16[3, 4, 1, 5],
        "body": "accumulate",
        "axis": 1,
        "output_axis": 2,
    }
    return LOOP.layer(**{**layer, **changes})


def test_a_body_is_a_graph_of_known_operations():
    found = loop().arguments()
    assert found["body"] == {
        "parameters": ["state", "data"],
        "constants": {"go_on": np.array(True)},
        "nodes": [
            {
                "name": "new",
                "operation": "Add-1",
                "inputs": ["state", "data"],
                "attributes": {"auto_broadcast": "numpy"},
                "types": ["f16"],
            }
        ],
        "results": ["new", "new", "go_on"],
    }


def test_the_port_map_has_the_axes_and_attributes_of_the_page_remain():
    found = loop().arguments()
    assert set(found) == {"body", "port_map", "back_edges"}
    assert found["port_map"] == {
        "inputs": [
            {"port": 2, "parameter": "state"},
            {"port": 3, "axis": 1, "parameter": "data"},
        ],
        "outputs": [
            {"port": 0, "result": 0},
            {"port": 1, "axis": 2, "result": 1},
            {"purpose": "execution_condition", "result": 2},
        ],
    }
    assert found["back_edges"] == [(0, "state")]


def test_the_iteration_has_a_type_and_a_shape():
    entries = loop(body="triangle_i32", data=None, axis=None).arguments()["port_map"]["inputs"]
    assert entries[1] == {
        "purpose": "current_iteration",
        "parameter": "iteration",
        "element_type": "i32",
        "shape": [],
    }


def test_conditions_have_a_body_and_a_port_map_for_each_branch():
    given = {"cond": [], "x": [2, 3], "y": [2, 3], "z": [4]}
    layer = operation("If-8").layer(**given, then_body="less", else_body="convert_z")
    found = layer.arguments()
    assert set(found) == {"then_body", "then_port_map", "else_body", "else_port_map"}
    assert found["else_port_map"]["inputs"] == [{"port": 3, "parameter": "z"}]
    (convert,) = found["else_body"]["nodes"]
    assert (convert["attributes"], convert["types"]) == ({"destination_type": "f32"}, ["f32"])
    # Types of other than floating-point numbers have NumPy's names.
    assert found["then_body"]["nodes"][0]["types"] == ["bool"]
    assert [graph.output_types() for graph in layer.graphs().values()] == [[boolean], [f32]]


def test_a_body_takes_what_it_names_and_slices_have_the_size_1():
    body = Body(
        [Node("sum", "Add-1", ("data", "one"))],
        [Result("output", "sum", port=0, axis=lambda layer: layer.output_axis)],
        {"one": lambda layer: layer.data.element_type.tensor([1]), "two": i64.tensor([2])},
        sliced={"data": lambda layer: -3},
        more=[Parameter("iteration", i64[1], purpose="current_iteration")],
    )
    graph = body(loop())
    assert graph.parameters == [Parameter("data", f16[3, 1, 1, 5], port=3, axis=-3)]
    assert graph.constants == {"one": f16.tensor([1])}
    assert graph.results == [Result("output", "sum", port=0, axis=2)]
    assert graph.types()["sum"] is f16


def test_nothing_feeds_a_parameter_whose_input_is_left_out():
    (graph,) = loop(data=None).graphs().values()
    assert [each.port for each in graph.parameters] == [2, None]


# --- what outputs depend on ---------------------------------------------------------------------------------------


def test_outputs_depend_on_what_nodes_and_back_edges_lead_from():
    state, data, ten = (Parameter(name, f32[1], port) for port, name in enumerate("sdt"))
    add = Node("sum", "Add-1", ("s", "d"))
    results = [Result("last", "sum", port=0), Result("kept", "t")]
    graph = Graph([state, data, ten], nodes=[add], results=results)
    assert graph.ports_read() == {0, 1}
    assert replace(graph, back_edges=[("kept", "s")]).ports_read() == {0, 1, 2}
    # The output of a node that has more than one, and a result that says whether the layer goes on.
    last = [Result("last", "sum:1", port=0)]
    assert replace(graph, results=last).ports_read() == {0, 1}
    assert replace(graph, results=[Result("go", "t", purpose="go")]).ports_read() == {2}
    assert (
        Graph(constants={"c": f32.tensor(1)}, results=[Result("r", "c", 0)]).ports_read() == set()
    )
