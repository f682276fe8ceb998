"""The factors of cases, by the fields of their records."""

from __future__ import annotations

import pytest

from reports.results.explained.factors import factors_of, plain_of, what_of
from tests.unit.reports.small_results import record

PLAIN = what_of(record("Pad-12/plain/f32[3,5]/pads_begin=1,0;pads_end=0,2;pad_mode=constant"))


def what(case: str) -> set[str]:
    return set(factors_of(record(case), PLAIN).what)


@pytest.mark.parametrize(
    "rest, factors",
    [
        ("plain/f32[3,5]/pads_begin=1,0;pads_end=0,2;pad_mode=constant", set()),
        ("type/u4[3,5]/pads_begin=1,0;pads_end=0,2;pad_mode=constant", {"type=u4"}),
        (
            "enumeration/f32[3,5]/pads_begin=1,0;pads_end=0,2;pad_mode=edge",
            {"pad_mode=edge"},
        ),
        ("left-out/f32[3,5]/pads_begin=1,0;pads_end=0,2", {"pad_mode=-"}),
        (
            "index-type/f32[3,5]/pads_begin=i8:1,0;pads_end=0,2;pad_mode=constant",
            {"type of pads_begin=i8"},
        ),
        ("rank/f32[3,5,2]/pads_begin=1,0,1;pads_end=0,2,1;pad_mode=constant", {"rank=3"}),
        (
            "dim-1/f32[1,5]/pads_begin=1,0;pads_end=0,2;pad_mode=constant",
            {"size 0.0=1"},
        ),
        (
            "tiny/f32[2,2]/pads_begin=1,0;pads_end=0,2;pad_mode=constant",
            {"tiny"},
        ),
        (
            "equal-sizes/f32[3,3]/pads_begin=1,0;pads_end=0,2;pad_mode=constant",
            {"equal 0.0=0.1"},
        ),
    ],
)
def test_single_factors(rest: str, factors: set[str]) -> None:
    assert what(f"Pad-12/{rest}") == factors


def test_a_random_layer_has_all_that_it_shows_and_itself() -> None:
    parameters = "pads_begin=0,0,1;pads_end=0,2,2;pad_mode=edge"
    found = what(f"Pad-12/random/u4[3,0,7]/{parameters}")
    assert found >= {"type=u4", "rank=3", "size 0.1=0", "pad_mode=edge"}
    assert f"what=random/u4[3,0,7]/{parameters.replace(';', ',')}" in found


def test_the_position_of_a_type_counts_where_inputs_differ() -> None:
    plain = what_of(record("Select-1/plain/boolean[3],f32[3],f32[3]"))
    found = factors_of(record("Select-1/type/boolean[3],u4[3],u4[3]"), plain)
    assert found.what == {"type 1=u4", "type 2=u4"}


def test_an_invalid_layer_is_a_factor_of_its_own() -> None:
    (found,) = what("Pad-12/invalid/u4[3,5]/pads_begin=1;pads_end=0,2;pad_mode=constant")
    assert found.startswith("what=invalid/")


def test_how_is_apart() -> None:
    case = "Pad-12/type/u4[3,5]/pads_begin=1,0;pads_end=0,2;pad_mode=constant"
    how = "index=parameters,shape=dims"
    found = factors_of(record(f"{case}/{how}"), PLAIN)
    assert (found.what, found.how) == ({"type=u4"}, {"index=parameters", "shape=dims"})
    assert found.number == 3


def test_a_layer_without_parameters() -> None:
    plain = what_of(record("Relu-1/plain/f32[3]/-/shape=dims"))
    assert plain == ("plain", ("f32[3]",), ())
    assert factors_of(record("Relu-1/type/f16[3]"), plain).what == {"type=f16"}


def test_the_plain_layer_is_found_by_any_case_of_it() -> None:
    records = [
        record("A-1/type/f16[3]/keep=true"),
        record("A-1/plain/f32[3]/keep=false/booleans=digits"),
        record("A-1/plain/f32[3]/keep=true/shape=dims"),
        record("A-1/plain/f32[3]/keep=true/data=constant"),
    ]
    assert plain_of(records) == ("plain", ("f32[3]",), (("keep", "true"),))
    assert plain_of(records[:1]) is None


def test_without_a_plain_layer_only_cases_of_one_layer_are_parts_of_each_other() -> None:
    (found,) = factors_of(record("A-1/type/f16[3]"), None).what
    assert found == "what=type/f16[3]/"


def test_a_value_with_a_slash_hides_no_factor() -> None:
    plain = what_of(record("ReadValue-6/plain/f32[3]/variable_id=a/b,update=add"))
    assert plain.parameters == (("variable_id", "a/b"), ("update", "add"))
    other = record("ReadValue-6/type/f16[3]/variable_id=a/b,update=add/shape=dims")
    assert factors_of(other, plain) == ({"type=f16"}, {"shape=dims"})
