"""The cells that cases and the layers of models fall into."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

import ir_models
from ir_models import models
from ir_models.asking.id_parts import split_id
from ir_models.models import (
    asked_layers,
    cells_of,
    has_plain_numbers,
    plain_cells,
    read,
    rows_of,
    ways_of,
)
from tests.planted.small_model import SmallModel, network

PLAIN = "Gather-8/plain/f32[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"


def apart(case):
    """The cells in which a case differs from the plain layer."""
    parts = split_id(case)
    cells = cells_of(parts.operation, parts.inputs, parts.parameters, parts.how)
    return cells - plain_cells(parts.operation)


@pytest.mark.parametrize(
    "case, cells",
    [
        (PLAIN, set()),
        ("Gather-8/type/f16[3,2,6,5],i64[3,4]/axis=2,batch_dims=1", {"type T=f16"}),
        ("Gather-8/type/f32[3,2,6,5],u8[3,4]/axis=2,batch_dims=1", {"type T_IND=u8"}),
        ("Gather-8/index-type/f32[3,2,6,5],i64[3,4]/axis=i32:2,batch_dims=1", {"type T_AXIS=i32"}),
        ("Gather-8/rank/f32[3,2],i64[3,4]/axis=1,batch_dims=1", {"rank=2"}),
        ("Gather-8/left-out/f32[3,2,6,5],i64[3,4]/axis=2", {"batch_dims=left out"}),
        (f"{PLAIN}/shape=dims", {"dimensions=unknown"}),
        (f"{PLAIN}/shape=axis-1", {"dimensions=some unknown"}),
        (f"{PLAIN}/data=first", {"constants=all but first"}),
        (f"{PLAIN}/constant=indices", {"constants=all but first"}),
        (f"{PLAIN}/constant=data", {"constants=others"}),
        (f"{PLAIN}/data=constant", {"constants=all"}),
        (f"{PLAIN}/index=computed,shape=bounds", {"index=computed", "dimensions=bounded"}),
        ("Relu-1/plain/f32[3]/-", None),
    ],
)
def test_a_case_differs_from_the_plain_layer_by_the_cells_that_it_is_about(case, cells):
    if cells is None:
        with pytest.raises(ValueError, match="unknown operation"):
            apart(case)
    else:
        assert apart(case) == cells


def test_an_unknown_rank_has_no_rank():
    parts = split_id(f"{PLAIN}/shape=rank")
    cells = cells_of(parts.operation, parts.inputs, parts.parameters, parts.how)
    assert "dimensions=rank unknown" in cells
    assert not any(cell.startswith("rank=") for cell in cells)


def test_ways_are_what_no_row_has():
    assert ways_of("Gather-8", "plain", {}, {"shape": "dims", "data": "first"}) == set()
    assert ways_of("Gather-8", "dim-0", {}, {"values": "special", "before": "abs", "number": "zero"}) == {
        "way=dim-0", "way=values special", "way=neighbours",
    }  # fmt: skip
    assert ways_of("Gather-8", "variant.far", {}, {"state": "kept"}) == {"way=variant"}


@pytest.mark.parametrize(
    "then_body, purpose, ways",
    [("add", "enumeration", set()), ("five", "enumeration", {"way=body"}), ("five", "example", {"way=example"})],
)  # fmt: skip
def test_a_layer_with_another_body_is_not_plain(then_body, purpose, ways):
    bodies = {"then_body": then_body, "else_body": "subtract"}
    assert ways_of("If-8", purpose, bodies, {}) == ways


def test_a_word_without_a_row_is_a_way():
    stated = {"variable_id": "lstm_state_1", "variable_shape": "3,4,5", "update": "add"}
    f32, f16, dynamic = (stated | {"variable_type": each} for each in ("f32", "f16", "dynamic"))
    assert ways_of("ReadValue-6", "enumeration", f32, {}) == set()
    assert ways_of("ReadValue-6", "type", f16, {}) == set(), "it follows the type of data"
    assert ways_of("ReadValue-6", "enumeration", dynamic, {}) == {"way=enumeration"}


def test_an_input_that_the_plain_layer_leaves_out_comes_with_its_usual_type():
    case = "ConvolutionBackpropData-1/variant.output-shape/f32[2,5,4,3],f32[5,6,4,3]/output_shape={};strides=2,3;" \
        "pads_begin=2,4;pads_end=4,5;dilations=2,3;auto_pad=explicit;output_padding=1,2"  # fmt: skip
    assert apart(case.format("9,8")) == {"output_shape=given"}
    assert apart(case.format("u8:9,8")) == {"output_shape=given", "type T2=u8"}


@pytest.mark.parametrize(
    "case, is_plain",
    [
        # What is left out is told by its cell; other numbers are not.
        ("Col2Im-15/variant.defaults/f32[2,18,25]/output_size=5,7;kernel_size=2,3;dilations=1,2;pads_begin=1,0;"
         "pads_end=0,2", True),
        ("Col2Im-15/variant.defaults/f32[2,18,25]/output_size=5,7;kernel_size=2,3;dilations=1,1;pads_begin=1,0;"
         "pads_end=0,2", False),
        ("Col2Im-15/variant.defaults/f32[2,18,0]/output_size=5,7;kernel_size=2,3;dilations=1,2;pads_begin=1,0;"
         "pads_end=0,2", False),
        ("Col2Im-15/random/f32[2,18,25]/output_size=5,7;kernel_size=2,3;dilations=1,2;pads_begin=1,0;pads_end=0,2",
         False),
    ],
)  # fmt: skip
def test_a_variant_with_the_numbers_of_the_plain_layer(case, is_plain):
    parts = split_id(case)
    found = has_plain_numbers(parts.operation, parts.purpose, parts.inputs, parts.parameters)
    assert found is is_plain


def test_rows_have_one_name_each_and_the_cells_of_every_plain_layer():
    for operation in ir_models.operations():
        rows = rows_of(operation.name)
        for cell in plain_cells(operation.name):
            row, _, value = cell.partition("=")
            assert value in rows[row], (operation.name, cell)
        names = {each.name for each in (*operation.inputs, *operation.attributes)}
        assert not names & {"rank", "dimensions", "constants", "index", "way"}, operation.name
        assert not any("|" in value for values in rows.values() for value in values)


def sized(model, number, *dims):
    """State the dimensions of a layer's output."""
    port = model.layers[number].find("output/port")
    for dim in dims:
        etree.SubElement(port, "dim").text = str(dim)
    return number


def layers_of(model, folder):
    return list(asked_layers(read(model.write(folder), needs_weights=False)))


def test_a_layer_of_a_model_falls_into_the_cells_of_a_case_that_asks_it(tmp_path):
    m = SmallModel()
    x = sized(m, m.parameter("x", "4,?,3,5"), 4, -1, 3, 5)
    index, axis = m.constant(np.array([1, 2]), "i64"), m.constant(np.array(0), "i64")
    gather = m.layer("Gather", x, index, axis, opset="opset8", name="gather", batch_dims="0")
    m.result(sized(m, gather, 2, -1, 3, 5))
    (layer,) = layers_of(m, tmp_path)
    assert (layer.title, layer.operation) == ("gather", "Gather-8")
    assert layer.inputs == ("f32[4,-1,3,5]", "i64[2]")
    assert layer.cells - layer.plain == {"dimensions=some unknown", "constants=all but first"}


@pytest.mark.parametrize("rows, kinds", [(3, []), (-1, ["ShapeOf-3", "Add-1"])])
def test_what_follows_from_a_known_shape_is_constant(tmp_path, rows, kinds):
    m = SmallModel()
    x = sized(m, m.parameter("x", f"{rows},5".replace("-1", "?")), rows, 5)
    shape = sized(m, m.layer("ShapeOf", x, opset="opset3", types=("i64",), output_type="i64"), 2)
    sizes = sized(m, m.layer("Add", shape, m.constant(np.array([1, 1]), "i64"), types=("i64",)), 2)
    m.result(
        sized(m, m.layer("Broadcast", x, sizes, opset="opset3", mode="bidirectional"), rows, 5)
    )
    *before, broadcast = layers_of(m, tmp_path)
    assert [each.operation for each in before] == kinds
    assert f"index={'computed' if kinds else 'constant'}" in broadcast.cells


def test_a_file_that_states_no_shape_has_no_cells_of_shapes(tmp_path):
    layers = {layer.title: layer for layer in asked_layers(read(network(tmp_path)))}
    assert "rank=4" in layers["conv"].cells
    shown = {cell.partition("=")[0] for cell in layers["relu"].cells}
    assert "type T" in shown
    assert not shown & {"rank", "dimensions"}


def test_a_parameter_of_unknown_rank_is_told_and_an_unknown_operation_has_no_cells(tmp_path):
    m = SmallModel()
    m.result(m.layer("Mine", m.layer("ReLU", m.parameter("x", "...")), opset="extension"))
    relu, mine = layers_of(m, tmp_path)
    assert "dimensions=rank unknown" in relu.cells
    assert (mine.operation, mine.is_known, mine.cells) == ("Mine (extension)", False, frozenset())


def test_the_inputs_of_an_operation_and_what_there_is_to_ask():
    assert models.ports_of("Gather-8") == [
        ("data", "T", False, False), ("indices", "T_IND", False, False), ("axis", "T_AXIS", True, False)
    ]  # fmt: skip
    assert models.ports_of("Concat-1")[0][3], "any number of inputs"
    assert {"Gather-8", "Split-1"} < {*models.operation_names()}
