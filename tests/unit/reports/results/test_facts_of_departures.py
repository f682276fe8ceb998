"""What a record says of a departure as data: classes of messages, and how wrong a failure is."""

from __future__ import annotations

import sys

import msgspec
import pytest

from reports.results.facts_of_departures import LARGEST, MOST, Extent, Facts, extent, message_class
from reports.results.records import WorstElement, from_line, to_line
from tests.unit.reports.small_results import record


@pytest.mark.parametrize(
    "text, words",
    [
        ("", ""),
        ("Unsupported precision of input", "Unsupported precision of input"),
        ("no kernel for layer 7 of f32", "no kernel for layer of"),
        ("Exception from src/core/src/node.cpp:123: no", "Exception from no"),
        (r"in build\plugin\matmul.cpp", "in matmul.cpp"),
        ("free(): invalid pointer", "free invalid pointer"),
        ("Check 'a < b' failed.", "Check a b failed"),
        (
            "Check 'x' failed While validating node 'opset1::Abs Abs_7 (p[0]:f32[2])' with "
            "friendly_name 'Abs_7': no",
            "Check x failed no",
        ),
        ("line\nof\ttwo", "line of two"),
        ("größe ist falsch", "größe ist falsch"),
    ],
)
def test_a_class_of_messages_has_its_words_alone(text: str, words: str) -> None:
    assert message_class(text) == words


def test_a_class_of_messages_is_short_and_ends_with_a_word() -> None:
    found = message_class(" ".join(f"{chr(97 + n % 26)}word" for n in range(200)))
    assert 150 < len(found) <= 160
    assert found.split()[-1].endswith("word")


def test_messages_that_differ_in_numbers_are_of_one_class() -> None:
    text = "Node Abs_{} of shape [{},3] at 0x{} failed"
    assert message_class(text.format(1, 2, "ff1")) == message_class(text.format(7, 9, "0"))


def test_facts_leave_out_what_does_not_apply() -> None:
    assert msgspec.to_builtins(Facts()) == {}
    facts = Facts(kind="value", output=0, inference=2)
    assert msgspec.to_builtins(facts) == {"kind": "value", "output": 0, "inference": 2}


@pytest.mark.parametrize("facts", [{"kind": "odd"}, {"stage": "begin"}, {"output": -1}])
def test_facts_that_cannot_be(facts: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(facts, Facts)


def test_facts_come_back_from_a_line() -> None:
    facts = Facts(stage="infer", kind="signal", signal="SIGSEGV", message="a b", rule="r")
    one = record("A-1/plain/f32[2]/x=1/shape=dims", "CRASH", facts=facts)
    again = from_line(to_line(one))
    assert again == one
    assert again.facts == facts
    assert (again.how, again.inputs, again.parameters) == (
        {"shape": "dims"},
        ["f32[2]"],
        {"x": "1"},
    )


# --- how wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, elements, fraction, first, found",
    [
        (None, 10, 2.0, "0=1", None),
        (3, None, 2.0, "0=1", None),
        (3, 0, 2.0, "0=1", None),
        (3, 12, 2.0, "0=1", Extent(0.25, 2.0)),
        # Bit for bit no error is allowed: the first wrong element tells, where most are wrong.
        (3, 12, sys.float_info.max, "0=1", Extent(0.25, None)),
        (9, 12, sys.float_info.max, "0=1", Extent(0.75, None, ("0=1",))),
        (9, 12, float("inf"), "0=1", Extent(0.75, None, ("0=1",))),
        (9, 12, LARGEST, "0=1", Extent(0.75, None, ("0=1",))),
        (9, 12, None, "0=1", Extent(0.75, None, ("0=1",))),
        (9, 12, None, "0=a\x01", Extent(0.75, None)),
        (9, 12, None, "", Extent(0.75, None)),
    ],
)
def test_how_wrong_a_failure_is(wrong, elements, fraction, first, found) -> None:
    assert extent(wrong, elements, fraction, first) == found


@pytest.mark.parametrize(
    "old, new, exceeds",
    [
        (Extent(0.2, 5.0), Extent(0.2, 5.0), False),
        (Extent(0.2, 5.0), Extent(0.1, 1.0), False),
        # A quarter more and a twentieth.
        (Extent(0.2, 5.0), Extent(0.3, 5.0), False),
        (Extent(0.2, 5.0), Extent(0.31, 5.0), True),
        # Ten times as much and ten bounds.
        (Extent(0.2, 5.0), Extent(0.2, 60.0), False),
        (Extent(0.2, 5.0), Extent(0.2, 61.0), True),
        # An error that was finite is infinite now.
        (Extent(0.2, 5.0), Extent(0.2, None), True),
        (Extent(0.2, None), Extent(0.2, 5.0), False),
        (Extent(0.2, None), Extent(0.2, None), False),
        (Extent(0.9, None, ("0=1",)), Extent(0.9, None, ("0=1",)), False),
        (Extent(0.9, None, ("0=1",)), Extent(0.9, None, ("0=2",)), True),
        (Extent(0.9, None, ("0=1",)), Extent(0.8, None, ("3=2",)), True),
        (Extent(0.9, None, ("0=1", "0=2")), Extent(0.9, None, ("0=2",)), False),
        # Where either has no value, there is nothing to compare.
        (Extent(0.9, None, ("0=1",)), Extent(0.6, None), False),
        (Extent(0.6, None), Extent(0.7, None, ("0=1",)), False),
    ],
)
def test_what_is_clearly_worse(old: Extent, new: Extent, exceeds: bool) -> None:
    assert old.is_exceeded_by(new) is exceeds


def test_extents_of_two_runs_are_joined_to_the_worse() -> None:
    one, other = Extent(0.2, 5.0, ("0=1",)), Extent(0.1, 7.0, ("0=2", "0=1"))
    assert one.joined(other) == Extent(0.2, 7.0, ("0=1", "0=2"))
    assert one.joined(Extent(0.1, None)) == Extent(0.2, None, ("0=1",))


@pytest.mark.parametrize(
    "found, text",
    [
        (Extent(0.25, 2.04), "25% of the elements, 2.04 times the bound"),
        (Extent(0.25, None), "25% of the elements"),
        (Extent(1.0, None, ("2,0=-128",)), "100% of the elements, [2,0] is -128"),
    ],
)
def test_an_extent_as_text(found: Extent, text: str) -> None:
    assert str(found) == text


def test_only_a_failure_has_an_extent() -> None:
    numbers = {"wrong": 9, "elements": 12, "fraction": sys.float_info.max}
    worst = WorstElement(index=(2, 0), actual="-128", expected="1")
    one = record("A-1/plain/i8[3,4]", "FAIL", worst=worst, **numbers)
    assert one.extent == Extent(0.75, None, ("2,0=-128",))
    assert record("A-1/plain/i8[3,4]", "QUALITY", worst=worst, **numbers).extent is None
    # A value is a field of a baseline's line, which tabs part.
    tab = WorstElement(index=(0,), actual="a\tb")
    text = record("A-1/plain/string[3,4]", "FAIL", worst=tab, **numbers)
    assert text.extent == Extent(0.75, None, ("0=a b",))
    assert MOST < 0.75
