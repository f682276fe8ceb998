"""Inputs that hold data, but whose value the layer states: indices from the end or out of range, say."""

import numpy as np
import pytest
from lxml import etree

import ir_models
from ir_models import CaseIdError
from ir_models.vocabulary.element_types import boolean, f32, i8, i64, u8
from ir_models.vocabulary.layers import fitting, plain_layer
from ir_models.vocabulary.rules import broken_rules
from ir_models.writing import ir

NEGATIVE = (
    "Gather-8/variant.negative-indices/f32[3,2,6,5],i8[3,2]/"
    "indices=[[-1,0],[-6,5],[2,-2]];axis=2;batch_dims=1"
)
SCALAR = "Gather-8/variant.out-of-range-indices/f32[5],i64[]/indices=-7,axis=0"
RUNTIME = "GatherND-8/variant.out-of-range-indices/f32[5],i64[1,1]/indices=[[3]]/data=runtime"


def parameters(case):
    root = etree.fromstring(ir.write([case]).xml)
    return [e.get("name") for e in root.iter("layer") if e.get("type") == "Parameter"]


@pytest.mark.parametrize("case_id", [NEGATIVE, SCALAR, RUNTIME])
def test_the_id_holds_the_value(case_id):
    case = ir_models.parse(case_id)
    assert case.id == case_id
    stated = case.layer.indices
    np.testing.assert_array_equal(case.arrays()[1], stated.array())
    assert case.arrays()[1].dtype == stated.element_type.dtype


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (NEGATIVE, NEGATIVE.replace("i8[3,2]", "i8[2,3]")),
        (SCALAR, SCALAR.replace("=-7", "=[-7]")),
        (RUNTIME, RUNTIME.replace("[[3]]", "[[3],[4]]")),
    ],
)
def test_a_value_of_another_shape_is_refused(given, wrong):
    assert given != wrong
    with pytest.raises(CaseIdError, match="is not the value of a tensor"):
        ir_models.parse(wrong)


def test_a_stated_value_is_a_constant_unless_it_is_asked_at_run_time():
    assert parameters(ir_models.parse(NEGATIVE)) == ["data"]
    assert parameters(ir_models.parse(NEGATIVE + "/data=runtime")) == ["data", "indices"]
    assert parameters(ir_models.parse(RUNTIME)) == ["data", "indices"]


def test_variants_ask_stated_values_both_ways():
    operation = ir_models.operation("Gather-8")
    found = ir_models.cases(operation, ["variant.negative-indices"])
    assert {case.how.data for case in found} == {"", "runtime"}


def test_a_type_that_does_not_hold_the_value_does_not_fit():
    operation = ir_models.operation("Gather-8")
    layer = operation.layer(data=f32[5], indices=i64.tensor([0, -1]), axis=0)
    assert i8 in fitting(layer, operation.type_sets["T_IND"])
    assert u8 not in fitting(layer, operation.type_sets["T_IND"])
    assert u8 in fitting(layer, operation.type_sets["T_AXIS"])


def test_purposes_of_data_leave_indices_alone():
    operation = ir_models.operation("Gather-8")
    found = [c for c in ir_models.cases(operation, ["plain", "type"]) if c.how.values]
    assert {case.how.values for case in found} == {"special", "ends", "large"}
    assert {case.layer.indices.element_type.name for case in found} == {"i64"}
    assert "i64" in {case.layer.data.element_type.name for case in found}


def update_array(case_id):
    case = ir_models.parse(case_id)
    return case.arrays()[2]


def test_updates_of_one_place_are_equal_where_their_order_is_open():
    updates = update_array(
        "ScatterNDUpdate-15/variant.repeated-indices/f32[4],i64[5,1],f32[5]/indices=[[0],[2],[-2],[3],[0]]"
    )
    assert updates[0] == updates[4]
    assert updates[1] == updates[2]
    assert len(set(updates.tolist())) == 3
    updates = update_array(
        "ScatterElementsUpdate-12/variant.repeated-indices/f32[2,3],i64[2,3],f32[2,3]/"
        "indices=[[1,1,0],[1,-1,2]];axis=1"
    )
    assert updates[0, 0] == updates[0, 1]
    assert updates[1, 1] == updates[1, 2]
    assert len(set(updates.ravel().tolist())) == 4


def test_reduced_updates_are_small_and_differ():
    updates = update_array(
        "ScatterNDUpdate-15/variant.repeated-indices/i8[4],i64[5,1],i8[5]/indices=[[0],[2],[-2],[3],[0]];reduction=sum"
    )
    assert abs(updates).max() <= 11
    assert len(set(updates.tolist())) > 1


def test_indices_that_are_not_stated_differ_as_long_as_there_are_places():
    case = ir_models.parse("ScatterElementsUpdate-12/plain/f32[3,6],i64[2,6],f32[2,6]/axis=1")
    assert all(len(set(row)) == 6 for row in case.arrays()[1].tolist())
    case = ir_models.parse("ScatterNDUpdate-3/plain/f32[3,2],i64[6,2],f32[6]")
    assert len({tuple(each) for each in case.arrays()[1].tolist()}) == 6


def test_a_boolean_mean_breaks_one_rule():
    operation = ir_models.operation("ScatterElementsUpdate-12")
    layer = plain_layer(operation).replace(
        data=boolean[3, 6, 5, 4], updates=boolean[2, 4, 5, 3], reduction="mean"
    )
    assert [rule.text for rule in broken_rules(layer)] == ["boolean data has no mean"]


PRODUCT = (
    "MatMul-1/plain/f32[2,3],f32[3,2]/b=[[1,2],[3,4],[5,6]];transpose_a=false;transpose_b=false{}"
)


def dims_of(case, name):
    """What the model says of the shape of a layer's output: that of a Parameter or a Const."""
    root = etree.fromstring(ir.write([case]).xml)
    (layer,) = [e for e in root.iter("layer") if e.get("name") == name]
    return layer.xpath("output/port/dim/text()")


@pytest.mark.parametrize("how", ["/shape=dims", "/shape=bounds", "/data=runtime,shape=dims"])
def test_a_stated_value_keeps_its_shape_where_others_are_unknown(how):
    case = ir_models.parse(PRODUCT.format(how))
    first, second, third = case.layers
    assert first == third == case.layer
    assert second.b == first.b
    assert second.a.shape != first.a.shape
    # The axis that is summed is that of b.
    assert second.a.shape[1] == 3
    for inference in range(3):
        np.testing.assert_array_equal(case.arrays(inference)[1], [[1, 2], [3, 4], [5, 6]])
    assert dims_of(case, "b") == ["3", "2"]
    assert dims_of(case, "a") == ["-1", "-1"]


@pytest.mark.parametrize("how", ["/shape=dims", "/data=runtime,shape=dims"])
def test_where_every_value_is_stated_no_shape_changes(how):
    text = "Convert-1/plain/f32[4]/data=[1.5,2.5,3.5,-1.5];destination_type=i32" + how
    case = ir_models.parse(text)
    assert case.layers == (case.layer,) * 3
    assert dims_of(case, "data") == ["4"]


@pytest.mark.parametrize("how", ["shape=dims", "shape=rank", "requests=again"])
def test_constants_keep_their_shapes_and_values(how):
    text = (
        f"MatMul-1/plain/f32[2,3],f32[3,2]/transpose_a=false,transpose_b=false/data=constant,{how}"
    )
    case = ir_models.parse(text)
    assert case.layers == (case.layer,) * case.how.inferences
    for one, other in zip(case.arrays(0), case.arrays(1), strict=True):
        np.testing.assert_array_equal(one, other)
    root = etree.fromstring(ir.write([case]).xml)
    (layer,) = [e for e in root.iter("layer") if e.get("type") == "MatMul"]
    assert layer.xpath("input/port/dim/text()") == ["2", "3", "3", "2"]
