"""IR as it is written: what a reader finds in the XML and in the weights."""

import numpy as np
import pytest
from lxml import etree

from ir_models import cases, operations, parse
from ir_models.vocabulary.element_types import string
from ir_models.writing import ir
from reference import lookup

PLAIN = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"
TRANSPOSE = "Transpose-1/plain/f32[3,5,2,4]/input_order=2,0,3,1"
# Attributes that the reader of IR knows by another name than the page prints: a reading of the page states each.
READ_AS = {"sort_result": "sort_result_type"}


class Net:
    """The XML of a model, read by lxml."""

    def __init__(self, model):
        self.model = model
        self.root = etree.fromstring(model.xml)
        self.layers = self.root.findall("layers/layer")
        self.edges = [
            tuple(int(e.get(k)) for k in ("from-layer", "from-port", "to-layer", "to-port"))
            for e in self.root.findall("edges/edge")
        ]

    def of_type(self, kind):
        return [layer for layer in self.layers if layer.get("type") == kind]

    def one(self, kind):
        (layer,) = self.of_type(kind)
        return layer

    def source(self, layer, port):
        """The layer that feeds a port."""
        (found,) = [e[0] for e in self.edges if e[2:] == (int(layer.get("id")), port)]
        return next(each for each in self.layers if each.get("id") == str(found))

    def content(self, layer):
        """The bytes of a Const."""
        data = layer.find("data")
        start = int(data.get("offset"))
        return self.model.weights[start : start + int(data.get("size"))]


def net(*ids, shapes=None):
    return Net(ir.write([parse(each) for each in ids], shapes))


def ports(layer, side):
    return [
        (int(p.get("id")), p.get("precision"), [d.text for d in p.findall("dim")])
        for p in layer.findall(f"{side}/port")
    ]


def asked(case_id, **how):
    """The id asked in some way, as it would be written."""
    return f"{case_id}/{','.join(f'{k}={v}' for k, v in how.items())}"


# --- every operation ----------------------------------------------------------------------------------------------


SPLITS = {"Split", "VariadicSplit"}


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_every_case_is_whole(declared):
    """Layers are named once, edges join ports that exist, every input port is fed, constants lie in the weights."""
    for case in cases(declared, draws=3):
        if case.purpose == "large-output":
            continue
        found = Net(ir.write([case]))
        ids = [int(layer.get("id")) for layer in found.layers]
        names = [layer.get("name") for layer in found.layers]
        assert sorted(ids) == list(range(len(ids))), case.id
        assert len(set(names)) == len(names), case.id
        inputs, outputs = set(), set()
        for layer in found.layers:
            number = int(layer.get("id"))
            inputs |= {(number, port[0]) for port in ports(layer, "input")}
            outputs |= {(number, port[0]) for port in ports(layer, "output")}
        assert sorted(edge[2:] for edge in found.edges) == sorted(inputs), case.id
        # Of a split in front of the layer one part is enough.
        unread = outputs - {edge[:2] for edge in found.edges}
        assert not {found.layers[number].get("type") for number, _ in unread} - SPLITS, case.id
        assert {edge[:2] for edge in found.edges} <= outputs, case.id
        # A Const under test may state what is not there.
        for const in found.of_type("Const") if not (declared.role and case.is_invalid) else []:
            data = const.find("data")
            assert len(found.content(const)) == int(data.get("size")), case.id
        assert {layer.get("name") for layer in found.of_type("Parameter")} == set(
            found.model.parameters
        )
        assert {layer.get("name") for layer in found.of_type("Result")} == set(found.model.results)
        (tested,) = found.model.layers
        layer = next(each for each in found.layers if each.get("name") == tested)
        assert (layer.get("type"), layer.get("version")) == (declared.type, declared.opset)


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_examples_are_written_as_printed(declared):
    for number, example in enumerate(cases(declared, ["example"])):
        stated = declared.example_of(example.layer)
        layer = Net(ir.write([example]))
        (name,) = layer.model.layers
        element = next(each for each in layer.layers if each.get("name") == name)
        numbers = [p[0] for side in ("input", "output") for p in ports(element, side)]
        # Ids that are just counted on are not declared.
        assert numbers == list(stated.ports or range(len(numbers))), number
        unwritten = {a.name for a in declared.attributes if not a.is_written}
        given = (
            declared.parameters(stated.layer).keys() & example.layer.attributes.keys() - unwritten
        )
        written = dict(element.find("data").attrib) if given else {}
        # Some attributes are spelled with a dash in IR, which no Python name has.
        names = [name.replace("-", "_") for name in written]
        stated_names = [a.name for a in declared.attributes if a.name in given]
        assert names == [READ_AS.get(name, name) for name in stated_names]


# --- one case -----------------------------------------------------------------------------------------------------


def test_a_plain_case():
    found = net(PLAIN)
    assert found.root.get("version") == "11"
    assert [layer.get("type") for layer in found.layers] == ["Parameter", "SpaceToDepth", "Result"]
    parameter, layer, result = found.layers
    assert dict(parameter.find("data").attrib) == {"shape": "3,5,4,6", "element_type": "f32"}
    assert dict(layer.find("data").attrib) == {"block_size": "2", "mode": "blocks_first"}
    assert layer.get("version") == "opset1"
    assert ports(layer, "input") == [(0, "FP32", ["3", "5", "4", "6"])]
    # Without a stated shape a port says the type alone.
    assert ports(layer, "output") == [(1, "FP32", [])]
    assert sorted(found.edges) == [(0, 0, 1, 0), (1, 1, 2, 0)]
    assert result.get("name") == "result0"
    assert found.model.weights == b""


def test_stated_shapes_stand_at_the_output_ports():
    layer = net(PLAIN, shapes=[[(3, 20, 2, 3)]]).one("SpaceToDepth")
    assert ports(layer, "output") == [(1, "FP32", ["3", "20", "2", "3"])]
    split = "Split-1/plain/f32[3,6,5,4]/axis=1,num_splits=3"
    layer = net(split, shapes=[[(3, 2, 5, 4)] * 3]).one("Split")
    assert ports(layer, "output") == [(n, "FP32", ["3", "2", "5", "4"]) for n in (2, 3, 4)]


def test_an_attribute_left_out_is_not_written():
    layer = net("SpaceToDepth-1/left-out/f32[3,5,4,6]/mode=blocks_first").one("SpaceToDepth")
    assert dict(layer.find("data").attrib) == {"mode": "blocks_first"}


def test_an_input_left_out_has_no_port():
    found = net("Slice-8/left-out/f32[3,6,5,4]/start=1,0;stop=3,5;step=1,2")
    assert len(ports(found.one("Slice"), "input")) == 4


def test_index_inputs_are_constants():
    found = net(TRANSPOSE)
    const = found.one("Const")
    assert dict(const.find("data").attrib) == {
        "element_type": "i64",
        "shape": "4",
        "offset": "0",
        "size": "32",
    }
    assert np.frombuffer(found.content(const), np.int64).tolist() == [2, 0, 3, 1]
    assert found.source(found.one("Transpose"), 1) is const


def test_index_inputs_given_at_run_time():
    found = net(asked(TRANSPOSE.replace("=2", "=i32:2"), index="parameters"))
    assert found.of_type("Const") == []
    assert [p.find("data").get("element_type") for p in found.of_type("Parameter")] == [
        "f32",
        "i32",
    ]


@pytest.mark.parametrize("kind, other", [("i64", "i32"), ("i32", "i64"), ("u8", "i32")])
def test_index_inputs_computed_at_run_time(kind, other):
    """Given in another type, which the device must convert first."""
    order = TRANSPOSE.replace("=2", "=2" if kind == "i64" else f"={kind}:2")
    found = net(asked(order, index="computed"))
    convert = found.source(found.one("Transpose"), 1)
    assert convert.get("type") == "Convert"
    assert convert.find("data").get("destination_type") == kind
    parameter = found.source(convert, 0)
    assert parameter.get("type") == "Parameter"
    assert parameter.find("data").get("element_type") == other
    assert ports(convert, "input") == [(0, parameter.find("output/port").get("precision"), ["4"])]
    assert found.model.parameters[parameter.get("name")].element_type.name == other


def test_data_as_constants_are_the_data_of_the_case():
    case = parse(asked(PLAIN, data="constant"))
    found = Net(ir.write([case]))
    assert found.of_type("Parameter") == []
    assert found.content(found.one("Const")) == case.arrays()[0].tobytes()
    other = Net(ir.write([case], seed=1))
    assert other.content(other.one("Const")) == case.arrays(seed=1)[0].tobytes()
    assert case.arrays(seed=1)[0].tobytes() != case.arrays()[0].tobytes()


def test_constants_are_aligned():
    found = net(
        "SpaceToBatch-2/plain/f32[2,4,5,7]/block_shape=1,1,2,3;pads_begin=0,0,1,3;pads_end=0,0,2,2"
    )
    offsets = [int(c.find("data").get("offset")) for c in found.of_type("Const")]
    assert offsets == [0, 64, 128]


def test_constants_of_packed_elements_and_strings():
    case = parse("SpaceToDepth-1/type/u4[3,5,4,6]/block_size=2,mode=blocks_first/data=constant")
    found = Net(ir.write([case]))
    assert found.one("Const").find("data").get("size") == "180"
    # As OpenVINO's serializer writes them: how many, where each begins and the last ends, the characters.
    numbers, characters = [3, 0, 1, 6, 6], "6ünï".encode()
    content = ir.stored.content(string, np.array(["6", "ünï", ""], object))
    assert content == np.array(numbers, "<i4").tobytes() + characters


# --- how ----------------------------------------------------------------------------------------------------------


def test_ir_version_10():
    assert net(asked(PLAIN, ir="10")).root.get("version") == "10"


def test_ports_as_the_page_prints_them():
    parameters = "block_shape=1,1,2,3;pads_begin=0,0,1,3;pads_end=0,0,2,2"
    layer = net(asked(f"SpaceToBatch-2/plain/f32[2,4,5,7]/{parameters}", ports="page"))
    layer = layer.one("SpaceToBatch")
    numbers = [p[0] for side in ("input", "output") for p in ports(layer, side)]
    assert numbers == [0, 1, 2, 3, 3]


def test_attributes_reversed():
    layer = net(asked(PLAIN, attributes="reversed")).one("SpaceToDepth")
    assert list(layer.find("data").attrib) == ["mode", "block_size"]


def test_booleans_as_digits():
    usual = "ReduceSum-1/plain/f32[3,2,5,4]/axes=[1,2];keep_dims="
    for text, digit in (("true", "1"), ("false", "0")):
        layer = net(asked(usual + text, booleans="digits")).one("ReduceSum")
        assert layer.find("data").attrib == {"keep_dims": digit}


def test_layers_reversed():
    usual, found = net(TRANSPOSE), net(asked(TRANSPOSE, layers="reversed"))
    assert [e.get("name") for e in found.layers] == [e.get("name") for e in reversed(usual.layers)]
    assert found.layers[0].get("type") == "Result"
    assert sorted(found.edges) == sorted(usual.edges)


@pytest.mark.parametrize(
    "names, shows",
    [("spaces", "  "), ("quotes", "\"double\" 'single' <angle> & ]]>"), ("unicode", "層 слой")],
)
def test_names_survive_xml(names, shows):
    found = net(asked(TRANSPOSE, names=names))
    assert all(shows in layer.get("name") for layer in found.layers)
    assert {layer.get("name") for layer in found.of_type("Parameter")} == set(
        found.model.parameters
    )
    assert [found.one("Transpose").get("name")] == [*found.model.layers]


def test_names_of_a_thousand_characters():
    found = net(asked(TRANSPOSE, names="long"))
    names = [layer.get("name") for layer in found.layers]
    assert {len(name) for name in names} == {1000}
    assert len(set(names)) == len(names)


def test_shared_weights_lie_once():
    one_axis = (
        "SpaceToBatch-2/plain/f32[2,3,4,6]/block_shape=1,1,2,3;pads_begin=0,0,0,0;pads_end=0,0,0,0"
    )
    apart, together = net(one_axis), net(asked(one_axis, weights="shared"))
    offsets = [int(c.find("data").get("offset")) for c in together.of_type("Const")]
    assert offsets == [0, 64, 64]
    assert len(together.model.weights) < len(apart.model.weights)
    contents = [[n.content(c) for c in n.of_type("Const")] for n in (apart, together)]
    assert contents[0] == contents[1]


@pytest.mark.parametrize(
    "shape, text, dims",
    [
        ("dims", "?,?,?,?", ["-1"] * 4),
        ("bounds", "3..5,5..7,4..7,6..9", ["-1"] * 4),
        ("rank", "...", []),
    ],
)
def test_unknown_shapes(shape, text, dims):
    case = parse(asked(PLAIN, shape=shape))
    assert [layer.data.shape for layer in case.layers] == [(3, 5, 4, 6), (4, 6, 6, 8), (3, 5, 4, 6)]
    found = Net(ir.write([case], [[(3, 20, 2, 3)]]))
    assert found.one("Parameter").find("data").get("shape") == text
    assert ports(found.one("SpaceToDepth"), "input") == [(0, "FP32", dims)]
    # An output's shape is not known then.
    assert ports(found.one("SpaceToDepth"), "output") == [(1, "FP32", [])]


# --- packs --------------------------------------------------------------------------------------------------------


def test_a_pack_is_one_model_of_independent_layers():
    ids = [
        PLAIN,
        TRANSPOSE,
        "Split-1/plain/f32[3,6,5,4]/axis=1,num_splits=3",
        asked(TRANSPOSE, index="computed"),
    ]
    found = net(*ids)
    names = ["c0.SpaceToDepth", "c1.Transpose", "c2.Split", "c3.Transpose"]
    assert found.model.layers == dict.fromkeys(names)
    assert found.root.findall("layers") == [found.root.find("layers")]
    assert {name: port.case for name, port in found.model.parameters.items()} == {
        "c0.data": 0,
        "c1.arg": 1,
        "c2.data": 2,
        "c3.arg": 3,
        "c3.input_order": 3,
    }
    assert [(port.case, port.port) for port in found.model.results.values()] == [
        (0, 0),
        (1, 0),
        (2, 0),
        (2, 1),
        (2, 2),
        (3, 0),
    ]
    owner = {layer.get("id"): layer.get("name").partition(".")[0] for layer in found.layers}
    assert all(owner[str(edge[0])] == owner[str(edge[2])] for edge in found.edges)
    names = [layer.get("name") for layer in found.layers]
    assert len(set(names)) == len(names)


def test_a_variable_is_its_cases_own_in_a_pack():
    named = "ReadValue-3/plain/f32[3,4,5],f32[3,4,5]/variable_id=a,update=replace"
    unnamed = "Assign-3/invalid/f32[3,4,5],f32[3,4,5]/variable_id=,update=add"
    assert ir.write([parse(unnamed)]).layers == {"Assign": ""}, "an empty name is one"
    found = net(named, TRANSPOSE, unnamed)
    variables = {"c0.ReadValue": "c0.a", "c1.Transpose": None, "c2.Assign": "c2."}
    assert found.model.layers == variables
    written = [
        layer.find("data").get("variable_id")
        for kind in ("ReadValue", "Assign")
        for layer in found.of_type(kind)
    ]
    assert written == ["c0.a", "c2.", "c0.a", "c2."]


def test_a_layer_of_a_pack_is_what_it_is_alone():
    pack, alone = net(PLAIN, TRANSPOSE), net(TRANSPOSE)
    in_pack, by_itself = pack.one("Transpose"), alone.one("Transpose")
    assert ports(in_pack, "input") == ports(by_itself, "input")
    assert pack.content(pack.one("Const")) == alone.content(alone.one("Const"))


def test_a_pack_has_one_ir_version():
    with pytest.raises(ValueError, match=r"one IR version, got cases of \['10', '11'\]"):
        net(PLAIN, asked(PLAIN, ir="10"))


def test_the_layer_alone_for_people():
    case = parse(PLAIN)
    shapes = [lookup("SpaceToDepth-1")(*case.arrays(), **case.layer.attributes).shape]
    text = ir.layer_xml(case, shapes)
    assert text.startswith(
        '<layer id="1" name="SpaceToDepth" type="SpaceToDepth" version="opset1">'
    )
    assert "\n  <data " in text
    assert text.count("<dim>") == 8


# --- bodies -------------------------------------------------------------------------------------------------------

IF = "If-8/plain/boolean[],f32[2,5,3],f32[2,5,3],f32[4,7]/then_body=add,else_body=subtract"


def entries(layer, tag):
    return [(each.tag, dict(each.attrib)) for each in layer.find(tag)]


def inner(layer, tag):
    """The layers of a body by id, as (type, inputs), an input being the id of the layer that feeds it."""
    body = layer.find(tag)
    edges = {
        (int(e.get("to-layer")), int(e.get("to-port"))): int(e.get("from-layer"))
        for e in body.find("edges")
    }
    return {
        int(each.get("id")): (
            each.get("type"),
            [edges[int(each.get("id")), port[0]] for port in ports(each, "input")],
        )
        for each in body.find("layers")
    }


def test_which_body_a_layer_has_is_not_an_attribute():
    assert net(IF).one("If").find("data") is None


def test_each_body_is_a_network_of_its_own():
    layer = net(IF).one("If")
    parameters = {0: ("Parameter", []), 1: ("Parameter", [])}
    result = {3: ("Result", [2])}
    assert inner(layer, "then_body") == {**parameters, 2: ("Add", [0, 1]), **result}
    assert inner(layer, "else_body") == {**parameters, 2: ("Subtract", [0, 1]), **result}


def test_port_maps_join_ports_and_layers_of_a_body():
    layer = net(IF).one("If")
    assert [port[0] for port in ports(layer, "output")] == [4]
    for tag in ("then_port_map", "else_port_map"):
        assert entries(layer, tag) == [
            ("input", {"external_port_id": "1", "internal_layer_id": "0"}),
            ("input", {"external_port_id": "2", "internal_layer_id": "1"}),
            ("output", {"external_port_id": "4", "internal_layer_id": "3"}),
        ]


def test_port_maps_come_before_bodies():
    tags = [child.tag for child in net(IF).one("If")]
    assert tags == ["input", "output", "then_port_map", "else_port_map", "then_body", "else_body"]


def test_parameters_of_a_body_state_what_the_ports_state():
    (shape,) = {
        data.get("shape") for data in net(IF).one("If").iterfind("then_body//layer/data[@shape]")
    }
    assert shape == "2,5,3"
    for unknown, text in (("dims", "?,?,?"), ("bounds", "?,?,?"), ("rank", "...")):
        layer = net(asked(IF, shape=unknown)).one("If")
        assert {data.get("shape") for data in layer.iterfind("then_body//layer/data[@shape]")} == {
            text
        }


def test_constants_of_a_body_lie_in_the_weights():
    case = "If-8/plain/boolean[],f32[2,3],f32[2,3]/then_body=constant,else_body=first"
    found = net(case)
    (const,) = found.one("If").iterfind("then_body/layers/layer[@type='Const']")
    numbers = np.frombuffer(found.content(const), np.float32)
    assert numbers.tolist() == [1, 2, 3, 4, 5, 6]


LOOP = (
    "Loop-5/plain/f32[3,1,1,5],f32[3,4,1,5]/"
    "trip_count=4,execution_condition=true,body=accumulate,axis=1,output_axis=2"
)


def test_a_loop_cuts_its_input_and_joins_its_output():
    layer = net(LOOP).one("Loop")
    assert inner(layer, "body") == {
        0: ("Parameter", []),
        1: ("Parameter", []),
        2: ("Const", []),
        3: ("Add", [0, 1]),
        4: ("Result", [3]),
        5: ("Result", [3]),
        6: ("Result", [2]),
    }
    assert entries(layer, "port_map") == [
        ("input", {"external_port_id": "2", "internal_layer_id": "0"}),
        ("input", {"external_port_id": "3", "internal_layer_id": "1", "axis": "1"}),
        ("output", {"external_port_id": "4", "internal_layer_id": "4"}),
        ("output", {"external_port_id": "5", "internal_layer_id": "5", "axis": "2"}),
        (
            "output",
            {
                "external_port_id": "-1",
                "internal_layer_id": "6",
                "purpose": "execution_condition",
            },
        ),
    ]
    assert entries(layer, "back_edges") == [("edge", {"from-layer": "4", "to-layer": "0"})]
    shapes = [data.get("shape") for data in layer.iterfind("body//layer[@type='Parameter']/data")]
    assert shapes == ["3,1,1,5", "3,1,1,5"]


def test_a_loop_tells_its_body_the_iteration():
    case = "Loop-5/variant.current-iteration/f32[1,3]/"
    layer = net(case + "trip_count=4,execution_condition=true,body=triangle_i32,output_axis=0").one(
        "Loop"
    )
    wanted = {
        "external_port_id": "-1",
        "internal_layer_id": "1",
        "purpose": "current_iteration",
    }
    assert ("input", wanted) in entries(layer, "port_map")
    (iteration,) = layer.iterfind("body/layers/layer[@id='1']/data")
    assert dict(iteration.attrib) == {"shape": "", "element_type": "i32"}


@pytest.mark.parametrize("shape", ["dims", "bounds", "rank"])
def test_what_a_loop_gives_its_body_keeps_its_shape(shape):
    case = (
        "Loop-5/variant.outer-inputs/f32[3,1,1,5]/"
        "trip_count=4,execution_condition=true,body=with_outer,output_axis=2"
    )
    layer = net(f"{case}/shape={shape}").one("Loop")
    shapes = [data.get("shape") for data in layer.iterfind("body//layer[@type='Parameter']/data")]
    assert shapes == ["", "", "..." if shape == "rank" else "?,?,?,?", "1"]
