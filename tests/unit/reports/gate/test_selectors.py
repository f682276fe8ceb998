"""Traits of a case, and selectors on them."""

import pytest
from tests.unit.reports.small_results import record

from reports.selectors import Selector, SelectorError, parse_versions
from reports.traits import FACTORS, traits_of

SLICE = record(
    "Slice-8/variant.negative-step/f32[20,10,1];i4[0]/start=i64:9,stop=0,step=-1,axes=1/index=parameters,shape=dims",
    how="index=parameters,shape=dims",
    rule="",
)


def test_traits_are_read_from_the_id():
    traits = traits_of(SLICE)
    assert traits["operation"] == ("Slice-8",)
    assert traits["category"] == ("movement",)
    assert traits["purpose"] == ("variant.negative-step",)
    assert traits["type"] == ("f32", "i4")
    assert traits["index_type"] == ("i64",)
    assert traits["rank"] == ("3", "1")
    assert traits["dimension"] == ("1", "0")
    assert traits["inputs"] == ("2",)
    assert traits["how.index"] == ("parameters",)
    assert traits["how.shape"] == ("dims",)
    assert traits["how.values"] == ("",)
    assert traits["parameter.start"] == ("i64:9",)
    assert traits["parameter.axes"] == ("1",)
    assert "parameter.index" not in traits, "how a case is asked is no parameter"


def test_a_case_without_parameters_in_the_usual_way():
    traits = traits_of(record("Relu-1/plain/f32[5,7]"))
    assert traits["type"] == ("f32",)
    assert traits["rank"] == ("2",)
    assert {traits[f"how.{factor}"] for factor in FACTORS} == {("",)}
    assert not [name for name in traits if name.startswith("parameter.")]


def test_parameters_with_commas_are_whole():
    traits = traits_of(record("A-1/plain/f32[2]/input_order=2,0,1,mode=b"))
    assert traits["parameter.input_order"] == ("2,0,1",)
    assert traits["parameter.mode"] == ("b",)


def test_one_type_of_several_tensors_is_one_value():
    traits = traits_of(record("Add-1/plain/f32[2,3];f32[3]"))
    assert (traits["type"], traits["inputs"], traits["rank"]) == (("f32",), ("2",), ("2", "1"))
    assert traits_of(record("A-1/plain/f32[]"))["rank"] == ("0",)


@pytest.mark.parametrize("case", ["A-1", "A-1/x", "A-1/x/y", "x/[/]=,/=", "////", "A-1/x//=="])
def test_any_id_has_traits(case):
    traits = traits_of(record(case, operation="A-1"))
    assert traits["operation"] == ("A-1",)


@pytest.mark.parametrize(
    "conditions, selected",
    [
        ({}, True),
        ({"operation": ("Slice-*",)}, True),
        ({"operation": ("Slice-8",), "type": ("f16", "i?")}, True),
        ({"type": ("f16",)}, False),
        ({"type": ("f32",), "rank": ("2",)}, False),
        ({"how.shape": ("dims",)}, True),
        ({"how.values": ("",)}, True),
        ({"how.shape": ("",)}, False),
        ({"parameter.step": ("-1",)}, True),
        ({"parameter.mode": ("-",)}, True),
        ({"parameter.step": ("-",)}, False),
    ],
)
def test_every_condition_must_hold_by_one_of_its_patterns(conditions, selected):
    assert Selector(conditions).selects(SLICE.case, traits_of(SLICE)) == selected


def test_cases_are_a_condition_as_well():
    traits = traits_of(SLICE)
    assert Selector({"type": ("f32",)}, ("B", "Slice-8/*")).selects(SLICE.case, traits)
    assert not Selector({"type": ("f16",)}, ("Slice-8/*",)).selects(SLICE.case, traits)
    assert not Selector({"type": ("f32",)}, ("B",)).selects(SLICE.case, traits)


@pytest.mark.parametrize(
    "selector, operations",
    [
        (Selector({"operation": ("A-1", "B-1")}), ("A-1", "B-1")),
        (Selector({"operation": ("A-*",)}), None),
        (Selector({"type": ("f32",)}), None),
        (Selector(cases=("A-1/x*", "B-1/y")), ("A-1", "B-1")),
        (Selector(cases=("*/x",)), None),
        (Selector({"operation": ("A-1",)}, ("*/x",)), ("A-1",)),
    ],
)
def test_operations_that_a_selector_names(selector, operations):
    assert selector.operations == operations


def test_a_selector_as_text():
    assert str(Selector({"type": ("f32", "f16"), "how.data": ("constant",)})) == (
        "type=f32|f16 how.data=constant"
    )
    assert str(Selector(cases=("A-1/x", "A-1/y"))) == "A-1/x ..."
    assert str(Selector()) == "every case"


@pytest.mark.parametrize("versions", ["", "2025", ">=", ">=2025.*", ">=2025,", "~=2025"])
def test_ranges_that_are_none(versions):
    with pytest.raises(SelectorError, match="must be a range"):
        parse_versions(versions)


@pytest.mark.parametrize(
    "data, broadcast",
    [
        ("f32[2,3],f32[2,3]", "equal"),
        ("f32[2,3],f32[]", "ones"),
        ("f32[2,3],f32[1]", "ones"),
        ("f32[2,3],f32[3]", "trailing"),
        ("f32[3,3],f32[3]", "either"),
        ("f32[2,3],f32[1,3]", "other"),
        ("f32[2,3]", "equal"),
    ],
)
def test_how_shapes_broadcast(data, broadcast):
    assert traits_of(record(f"Add-1/random/{data}/auto_broadcast=pdpd"))["broadcast"] == (
        broadcast,
    )
