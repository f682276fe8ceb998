"""IR of users as graphs, and parts of it written again."""

import numpy as np
import pytest
from lxml import etree

from ir_models import ELEMENT_TYPES, operation
from ir_models.models import NotIRError, cut, read
from ir_models.models.attributes import parse
from ir_models.models.attributes import read as read_attributes
from ir_models.models.reader import parse as parse_net
from ir_models.vocabulary.element_types import f32, i64
from tests.planted.small_model import SmallModel, network


def by_title(model):
    return {source.title: source for source in model.sources.values()}


def test_a_network_is_a_graph_of_known_operations(tmp_path):
    model = read(network(tmp_path))
    assert [node.operation for node in model.graph.nodes] == [
        "Convolution-1", "Add-1", "ReLU-1", "AvgPool-1", "Reshape-1", "MatMul-1", "Tanh-1", "SoftMax-8",
    ]  # fmt: skip
    conv = model.nodes[by_title(model)["conv"].name]
    assert conv.attributes["pads_begin"] == (1, 1)
    assert conv.attributes["auto_pad"] == "explicit"
    assert model.nodes[by_title(model)["bias"].name].attributes == {"auto_broadcast": "numpy"}
    assert model.nodes[by_title(model)["product"].name].attributes["transpose_b"] is False
    assert model.shapes == {"n0": [(1, 1), (3, 3), (12, 12), (10, 10)]}
    (shape,) = [t.array() for t in model.graph.constants.values() if t.element_type is i64]
    assert shape.tolist() == [1, -1]


def test_the_opset_of_a_layer_chooses_the_last_version_that_it_has(tmp_path):
    m = SmallModel()
    x, axis = m.parameter("x", "4,3"), m.constant(np.array(0), "i64")
    index = m.constant(np.array([1]), "i64")
    for opset in ("opset1", "opset7", "opset8", "opset15"):
        m.result(m.layer("Gather", x, index, axis, opset=opset, name=opset))
    names = {s.title: s.label for s in read(m.write(tmp_path)).sources.values()}
    assert [names[f"opset{n}"] for n in (1, 7, 8, 15)] == [
        "Gather-1",
        "Gather-7",
        "Gather-8",
        "Gather-8",
    ]


def test_what_is_not_known_is_named_and_keeps_its_place(tmp_path):
    m = SmallModel()
    x = m.parameter("x", "2,3")
    own = m.layer("Mine", x, opset="extension", name="own", strength="3")
    late = m.layer("ErfInv", own, opset="opset3", name="late")
    m.result(late)
    model = read(m.write(tmp_path))
    own, late = by_title(model)["own"], by_title(model)["late"]
    assert own.label == "Mine (extension)"
    assert "not an operation set" in own.note
    assert late.operation is None
    assert "no page" in late.note
    assert [node.operation for node in model.graph.nodes] == ["", ""]


@pytest.mark.parametrize(
    "name, written, value",
    [
        ("RNNCell-3", {"hidden_size": "4", "clip": "0.0"}, {"hidden_size": 4}),
        ("RNNCell-3", {"hidden_size": "4", "activations": "relu, tanh"},
         {"hidden_size": 4, "activations": ("relu", "tanh")}),
        ("MVN-6", {"eps": "1e-5", "eps_mode": "INSIDE_SQRT", "normalize_variance": "True"},
         {"eps": 1e-5, "eps_mode": "INSIDE_SQRT", "normalize_variance": True}),
        ("Convolution-1", {"strides": "1, 2", "pads_begin": ""}, {"strides": (1, 2), "pads_begin": ()}),
        ("Convert-1", {"destination_type": "f16"}, {"destination_type": ELEMENT_TYPES["f16"]}),
    ],
)  # fmt: skip
def test_attributes_as_people_write_them(name, written, value):
    found, others = read_attributes(operation(name), written)
    same = {key: str(v).lower() if key == "eps_mode" else v for key, v in found.items()}
    assert same == {key: str(v).lower() if key == "eps_mode" else v for key, v in value.items()}
    assert others == {}


def test_an_attribute_that_no_page_has_is_told():
    assert read_attributes(operation("ReLU-1"), {"colour": "red"}) == ({}, {"colour": "red"})
    (axis,) = [a for a in operation("SoftMax-1").attributes if a.name == "axis"]
    with pytest.raises(ValueError, match="axis is 'one'"):
        parse(axis, "one")


def test_a_part_has_the_layers_as_they_were_and_is_fed(tmp_path):
    model = read(network(tmp_path))
    name = by_title(model)["conv"].name
    element = model.sources[name].element
    etree.SubElement(etree.SubElement(element, "rt_info"), "attribute", name="kept", version="0")
    part = cut(model, [name], [name], {"n0": f32[1, 3, 5, 5]})
    again = parse_net(etree.fromstring(part.xml), np.frombuffer(part.weights, np.uint8))
    (node,) = again.graph.nodes
    assert node.operation == "Convolution-1"
    assert node.attributes == model.nodes[name].attributes
    assert b'name="kept"' in part.xml
    (weights,) = again.graph.constants.values()
    (before,) = [model.graph.constants[v] for v in model.sources[name].inputs if v != "n0"]
    assert np.array_equal(weights.array(), before.array())
    assert [each.tensor for each in again.graph.parameters] == [f32[1, 3, 5, 5]]
    assert part.parameters == {"input.n0": "n0"}


def test_layers_apart_do_not_feed_each_other(tmp_path):
    model = read(network(tmp_path))
    conv, bias = (by_title(model)[title].name for title in ("conv", "bias"))
    given = {"n0": f32[1, 3, 5, 5], conv: f32[1, 8, 5, 5]}
    joined = cut(model, [conv, bias], [bias], {"n0": f32[1, 3, 5, 5]})
    apart = cut(model, [conv, bias], [conv, bias], given, apart=True)
    assert set(joined.parameters.values()) == {"n0"}
    assert set(apart.parameters.values()) == {"n0", conv}
    again = parse_net(etree.fromstring(apart.xml), np.frombuffer(apart.weights, np.uint8))
    (add,) = [node for node in again.graph.nodes if node.operation == "Add-1"]
    assert add.inputs[0] in {each.name for each in again.graph.parameters}


def test_names_of_users_are_made_different(tmp_path):
    m = SmallModel()
    x = m.parameter("same", "2")
    m.result(m.layer("Abs", m.layer("Abs", x, name="same"), name="same"))
    model = read(m.write(tmp_path))
    part = cut(model, list(model.nodes), [model.graph.results[0].source], titles=True)
    names = [e.get("name") for e in etree.fromstring(part.xml).iter("layer")]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "content, words",
    [
        (b"no xml", "is not XML"),
        (b'<net version="7"><layers/></net>', "not an IR of version 10"),
        (b'<net version="11"><layers><layer id="0" name="a" type="Abs" version="opset1"><input><port id="0"/></input>'
         b"</layer></layers></net>", "nothing feeds the port 0 of the layer a"),
        (b'<net version="11"><layers><layer id="0" name="c" type="Const" version="opset1">'
         b'<data element_type="f32" shape="2" offset="0" size="8"/><output><port id="0" precision="FP32"/></output>'
         b"</layer></layers></net>", "the weights file is not there, or empty: c needs it"),
    ],
)  # fmt: skip
def test_what_is_no_ir_is_refused_in_words(tmp_path, content, words):
    path = tmp_path / "m.xml"
    path.write_bytes(content)
    with pytest.raises(NotIRError, match=words):
        read(path)


def test_a_loop_is_read_with_its_body(tmp_path):
    """The body as a graph, its port map by positions."""
    xml = b"""<net version="11"><layers>
    <layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="4,2"/>
    <output><port id="0" precision="FP32"/></output></layer>
    <layer id="1" name="loop" type="TensorIterator" version="opset1">
    <input><port id="0"/></input><output><port id="1" precision="FP32"/></output>
    <port_map><input axis="0" external_port_id="0" internal_layer_id="7" start="0" end="-1" stride="1" part_size="1"/>
    <output axis="0" external_port_id="1" internal_layer_id="9"/></port_map>
    <body><layers><layer id="7" name="p" type="Parameter" version="opset1"><data element_type="f32" shape="1,2"/>
    <output><port id="0" precision="FP32"/></output></layer>
    <layer id="8" name="a" type="Abs" version="opset1"><input><port id="0"/></input>
    <output><port id="1" precision="FP32"/></output></layer>
    <layer id="9" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
    <edges><edge from-layer="7" from-port="0" to-layer="8" to-port="0"/>
    <edge from-layer="8" from-port="1" to-layer="9" to-port="0"/></edges></body></layer>
    <layer id="2" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
    <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""
    model = parse_net(etree.fromstring(xml), np.empty(0, np.uint8))
    (loop,) = model.graph.nodes
    assert loop.operation == "TensorIterator-1"
    from reference import outputs_of

    data = np.array([[1, -2], [-3, 4], [5, -6], [0, -1]], np.float32)
    (found,) = outputs_of(loop.operation, [data], loop.attributes)
    assert found.tolist() == np.abs(data).tolist()
