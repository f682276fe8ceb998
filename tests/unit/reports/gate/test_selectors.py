"""The fields of departures that a cause can name, and selectors on them."""

import pytest

from reports.gate.baseline import Run
from reports.gate.selectors import NAMES, OF_RUN, Selector, features_of
from reports.results.facts_of_departures import Facts
from reports.results.shared.matching import VersionRangeError, parse_versions, version_in
from tests.unit.reports.small_results import record

SLICE = record(
    "Slice-8/variant.negative-step/f32[20,10,1],i4[0]/start=i64:9,stop=0,step=-1,axes=1/index=parameters,shape=dims",
    "FAIL",
    facts=Facts(kind="value", output=1, inference=2, computed_as="i64 as i32"),
)


def test_the_fields_of_a_record_are_values():
    features = features_of(SLICE)
    assert features["operation"] == ("Slice-8",)
    assert features["category"] == ("movement",)
    assert features["purpose"] == ("variant.negative-step",)
    assert features["type"] == ("f32", "i4")
    assert features["types"] == ("f32,i4",)
    assert features["index_type"] == ("i64",)
    assert features["rank"] == ("3", "1")
    assert features["dimension"] == ("1", "0")
    assert features["inputs"] == ("2",)
    assert features["how.index"] == ("parameters",)
    assert features["how.shape"] == ("dims",)
    assert "how.values" not in features
    assert features["parameter.start"] == ("i64:9",)
    assert features["parameter.axes"] == ("1",)
    assert "parameter.index" not in features, "how a case is asked is no parameter"


def test_a_case_without_parameters_in_the_usual_way():
    features = features_of(record("Relu-1/plain/f32[5,7]"))
    assert features["type"] == ("f32",)
    assert features["rank"] == ("2",)
    assert not [name for name in features if name.startswith(("parameter.", "how."))]
    assert (features["inputs"], features["broadcast"], features["dimension"]) == (
        ("1",),
        ("equal",),
        (),
    )


def test_facts_and_the_run_are_values():
    run = Run("CPU", "accuracy", "2026.4.1", "x86_64", "A CPU", "1.2", "AVX2", f16=True)
    features = features_of(SLICE, run)
    found = {
        name: features[name] for name in ("outcome", "kind", "output", "inference", "computed_as")
    }
    assert found == {
        "outcome": ("FAIL",),
        "kind": ("value",),
        "output": ("1",),
        "inference": ("2",),
        "computed_as": ("i64 as i32",),
    }
    assert {name: features[name] for name in OF_RUN} == {
        "device": ("CPU",),
        "profile": ("accuracy",),
        "isa": ("AVX2",),
        "driver": ("1.2",),
        "full_name": ("A CPU",),
        "architecture": ("x86_64",),
        "capabilities": ("FP16",),
    }
    assert set(NAMES) <= set(features), "every condition has a value"
    one_of_two = features_of(SLICE, Run("GPU.1", "accuracy", "2026.4.1"))
    assert one_of_two["device"] == ("GPU.1", "GPU"), "a cause of GPUs is one of each"


def test_the_first_output_and_inference_are_the_usual_ones():
    features = features_of(
        record("A-1/plain/f32[2]", "REFUSED", facts=Facts(rule="r", stage="read"))
    )
    assert (features["output"], features["inference"]) == (("0",), ("1",))
    assert (features["rule"], features["stage"]) == (("r",), ("read",))


def test_parameters_with_commas_are_whole():
    features = features_of(record("A-1/plain/f32[2]/input_order=2,0,1,mode=b"))
    assert features["parameter.input_order"] == ("2,0,1",)
    assert features["parameter.mode"] == ("b",)


def test_one_type_of_several_tensors_is_one_value():
    features = features_of(record("Add-1/plain/f32[2,3],f32[3]"))
    assert (features["type"], features["inputs"], features["rank"]) == (
        ("f32",),
        ("2",),
        ("2", "1"),
    )
    assert features_of(record("A-1/plain/f32[]"))["rank"] == ("0",)


def test_a_value_with_a_slash_hides_no_way_of_asking():
    features = features_of(record("A-6/plain/f32[2]/variable_id=a/b,update=add/shape=dims"))
    assert features["parameter.variable_id"] == ("a/b",)
    assert (features["parameter.update"], features["how.shape"]) == (("add",), ("dims",))


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
        ({"type": ("!f16",)}, True),
        # One value of several is enough, of those that are not, too.
        ({"type": ("!f32",)}, True),
        ({"types": ("!*f32*",)}, False),
        ({"operation": ("!Slice-*",)}, False),
        ({"operation": ("!A-1", "!B-1")}, True),
        ({"operation": ("!A-1", "!Slice-*")}, False),
        ({"operation": ("Slice-*", "!A-1")}, True),
        ({"operation": ("Slice-*", "!*-8")}, False),
        ({"how.values": ("!",)}, False),
        ({"how.shape": ("!",)}, True),
        ({"parameter.mode": ("!-",)}, False),
        ({"input.0": ("f32[20,*",), "input.1": ("i?[0]",)}, True),
        ({"input.0": ("i*",)}, False),
        ({"input.2": ("!f32*",)}, True),
        ({"parameter.step": ("<0",)}, True),
        ({"parameter.start": ("<10",)}, False),
        ({"outcome": ("FAIL", "CRASH"), "kind": ("value",), "output": ("1",)}, True),
        ({"outcome": ("CRASH",)}, False),
        ({"stage": ("infer",)}, False),
        ({"device": ("CPU", "*:CPU*")}, True),
        ({"device": ("GPU",)}, False),
    ],
)
def test_every_condition_must_hold_by_one_of_its_wildcards(conditions, selected):
    assert Selector(conditions).selects(features_of(SLICE, Run("AUTO:CPU"))) == selected


@pytest.mark.parametrize(
    "conditions, operations",
    [
        ({"operation": ("A-1", "B-1")}, ("A-1", "B-1")),
        ({"operation": ("A-*",)}, None),
        ({"operation": ("A-1", "B-?")}, None),
        ({"type": ("f32",)}, None),
    ],
)
def test_operations_that_a_selector_names(conditions, operations):
    assert Selector(conditions).operations == operations


def test_a_selector_that_excludes_an_operation_names_none():
    """Causes are looked for by the operations that their selectors name."""
    assert Selector({"operation": ("!A-1",)}).operations is None


def test_a_selector_as_text():
    assert str(Selector({"type": ("f32", "f16"), "how.data": ("constant",)})) == (
        "type=f32|f16 how.data=constant"
    )
    assert str(Selector({})) == "everything"


@pytest.mark.parametrize("versions", ["", "2025", ">=", ">=2025.*", ">=2025,", "~=2025"])
def test_ranges_that_are_none(versions):
    with pytest.raises(VersionRangeError, match="must be a range"):
        parse_versions(versions)


@pytest.mark.parametrize(
    "version, versions, inside",
    [
        ("2026.4.1-123", ">=2026.4", True),
        ("2026.4", "==2026.4.0", True),
        ("2026.4.1", "==2026.4.*", True),
        ("2026.5.0", "==2026.4.*", False),
        ("2026.4.1", ">=2025.1,<2026.4", False),
        ("unknown", ">=2025", False),
    ],
)
def test_versions_in_ranges(version, versions, inside):
    assert version_in(version, versions) is inside


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
    assert features_of(record(f"Add-1/random/{data}/auto_broadcast=pdpd"))["broadcast"] == (
        broadcast,
    )


def test_the_layers_of_a_graph_stand_in_each_order_that_it_admits() -> None:
    text = (
        "x=f32[2]; const h=f32[1]:0.5; d=Multiply-1(x,h); e=Erf-1(x); y=Subtract-1(d,e); return y"
    )
    swapped = text.replace("(d,e)", "(e,d)")
    one, other = "Multiply-1 Erf-1 Subtract-1 ", "Erf-1 Multiply-1 Subtract-1 "
    for each in (text, swapped):
        case = record(f"Graph/graphs/f32[2],f32[1]/{each}", graph=each)
        assert features_of(case)["layers"] == (one, other)
    # What no result needs, such as a layer that sets a variable, is there as well.
    state = "x=f32[]; r=ReadValue-6(x){variable_id=v}; a=Abs-1(r); s=Assign-6(a){variable_id=v}; return r"
    (order,) = features_of(record(f"Graph/graphs/f32[]/{state}", graph=state))["layers"]
    assert order == "ReadValue-6 Abs-1 Assign-6 "


def test_an_input_that_is_left_out_is_absent() -> None:
    features = features_of(record("A-1/left-out/-,f32[]"))
    assert {n: features[n] for n in features if n.startswith("input.")} == {
        "input.0": ("-",),
        "input.1": ("f32[]",),
    }


@pytest.mark.parametrize(
    "text, dimension",
    [
        ("x=f32[2?]#; y=Abs-1(x); return y", ("unknown",)),
        ("x=f32[10]; w=f32[1,3?]; y=Add-1(x,w); return y", ("1", "unknown")),
        ("x=f32[10]; const w=f32[1,3]:0.5; y=Add-1(x,w); return y", ("1",)),
    ],
)
def test_a_graph_with_an_unknown_dimension(text: str, dimension: tuple[str, ...]) -> None:
    inputs = "f32[2]" if "w=" not in text else "f32[10],f32[1,3]"
    case = record(f"Graph/graphs/{inputs}/{text}", graph=text)
    assert features_of(case)["dimension"] == dimension
