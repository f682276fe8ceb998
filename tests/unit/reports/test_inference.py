"""Selectors found from results: exact, general, and readable."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_results import record

from reports.inference import GENERAL, selectors
from reports.selectors import Selector
from reports.traits import traits_of


def selected(found: list[Selector], one) -> bool:
    return any(each.selects(one.case, traits_of(one)) for each in found)


def check(found, departures, conforming) -> None:
    assert [r.case for r in departures if not selected(found, r)] == []
    assert [r.case for r in conforming if selected(found, r)] == []


def typed(operation: str, *types: str):
    return [record(f"{operation}/type/{each}[2,3]") for each in types]


def test_nothing_departs_nothing_is_selected():
    assert selectors([], [record("A-1/plain/f32[2]")]) == []


def test_one_operation_is_named():
    departures, conforming = typed("A-1", "f64"), typed("A-1", "f32") + typed("B-1", "f64")
    (found,) = selectors(departures, conforming)
    assert found.conditions == {"operation": ("A-1",), "type": ("f64",)}
    check([found], departures, conforming)


@pytest.mark.parametrize("count", [GENERAL - 1, GENERAL])
def test_what_several_operations_show_is_expected_of_others(count):
    names = [f"Op{number}-1" for number in range(count)]
    departures = [one for name in names for one in typed(name, "f64")]
    conforming = [one for name in names for one in typed(name, "f32")]
    found = selectors(departures, conforming)
    check(found, departures, conforming)
    (unseen,) = typed("Unseen-1", "f64")
    assert selected(found, unseen) == (count >= GENERAL)
    assert not selected(found, typed("Unseen-1", "f16")[0])


def test_what_several_operations_show_is_not_expected_where_one_conforms():
    names = [f"Op{number}-1" for number in range(4)]
    departures = [one for name in names for one in typed(name, "f64")]
    conforming = typed("Good-1", "f64", "f32") + [
        one for name in names for one in typed(name, "f32")
    ]
    found = selectors(departures, conforming)
    check(found, departures, conforming)


def test_values_of_one_trait_are_merged():
    departures = typed("A-1", "i4", "u4", "i8")
    conforming = typed("A-1", "f32", "f16")
    (found,) = selectors(departures, conforming)
    assert found.conditions == {"operation": ("A-1",), "type": ("i4", "i8", "u4")}


def test_how_a_case_is_asked_is_a_cause():
    departures = [
        record(f"{name}/plain/f32[2]/-/shape=dims", how="shape=dims") for name in ("A-1", "B-1")
    ]
    conforming = [record(f"{name}/plain/f32[2]") for name in ("A-1", "B-1")]
    (found,) = selectors(departures, conforming)
    assert found.conditions == {"operation": ("A-1", "B-1"), "how.shape": ("dims",)}


def test_what_traits_do_not_tell_apart_is_selected_by_its_id():
    departures, conforming = [record("A-1/plain/f32[2,3]")], [record("A-1/plain/f32[2,5]")]
    assert selectors(departures, conforming) == [Selector(cases=("A-1/plain/f32[2,3]",))]


def test_a_parameter_left_out_is_a_condition_on_its_operation():
    """Other operations have no such parameter at all: the condition alone would select all of their cases."""
    departures = [record(f"{name}/plain/f32[2]/mode=b") for name in ("A-1", "B-1", "C-1")]
    conforming = [record(f"{name}/plain/f32[2]/axes=1,mode=b") for name in ("A-1", "B-1", "C-1")]
    conforming.append(record("D-1/plain/f32[2]/mode=b"))
    found = selectors(departures, conforming)
    check(found, departures, conforming)
    assert all("operation" in each.conditions for each in found)


def test_values_that_would_be_patterns_are_not_used():
    departures, conforming = [record("A-1/plain/f32[2]/a=x?")], [record("A-1/plain/f32[2]/a=xy")]
    (found,) = selectors(departures, conforming)
    assert "parameter.a" not in found.conditions


def test_values_that_a_file_refuses_are_not_used():
    departures = [record("A-1//f32[2]", purpose="", category="")]
    found = selectors(departures, [record("A-1/plain/f32[2]")])
    assert not {"purpose", "category"} & {name for each in found for name in each.conditions}


def test_two_values_of_one_trait_are_not_both_required():
    """A selector reads them as alternatives."""
    departures = [record("A-1/plain/f32[2];f64[2]")]
    conforming = [record("A-1/plain/f32[2]"), record("A-1/plain/f64[2];f64[2]")]
    check(selectors(departures, conforming), departures, conforming)


HOWS = ("", "data=constant", "shape=dims", "data=constant,shape=dims")


@st.composite
def records(draw):
    operation = draw(st.sampled_from(["A-1", "B-1", "C-1", "D-8"]))
    purpose = draw(st.sampled_from(["plain", "type", "rank"]))
    types = draw(st.lists(st.sampled_from(["f32", "f64", "i4", "i64"]), min_size=1, max_size=2))
    shape = draw(st.sampled_from(["[2]", "[0,3]", "[1,2,3]"]))
    data = ";".join(each + shape for each in types)
    names = draw(st.lists(st.sampled_from(["mode", "axes", "k"]), unique=True, max_size=2))
    parameters = ",".join(f"{name}={draw(st.sampled_from(['1', '-1', 'i64:2']))}" for name in names)
    how = draw(st.sampled_from(HOWS))
    case = "/".join([operation, purpose, data, *([parameters or "-"] if parameters or how else [])])
    return record(case + (f"/{how}" if how else ""), how=how)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(records(), st.booleans()), max_size=40))
def test_all_departures_and_no_conforming_case_are_selected(drawn):
    results = {one.case: (one, departs) for one, departs in drawn}.values()
    departures = [one for one, departs in results if departs]
    conforming = [one for one, departs in results if not departs]
    check(selectors(departures, conforming), departures, conforming)
