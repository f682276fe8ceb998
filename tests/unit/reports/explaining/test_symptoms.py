"""How departures end, coarsely."""

from __future__ import annotations

import pytest

from reports.explaining.symptoms import by_symptom
from reports.results.facts_of_departures import Facts
from reports.results.records import CaseRecord, WorstElement
from tests.unit.reports.small_results import record

VALUE = Facts(kind="value")


def wrong(
    case: str, expected: str, actual: str, facts: Facts = VALUE, error: float = 0.5
) -> CaseRecord:
    worst = WorstElement(expected=expected, actual=actual)
    return record(
        case, "FAIL", facts=facts, wrong=6, elements=15, relative_error=error, worst=worst
    )


def text_of(departure: CaseRecord) -> str:
    (symptom,) = by_symptom([departure])
    return symptom.text


@pytest.mark.parametrize(
    ("case", "expected", "actual"),
    [
        ("Gather-8/type/u32[2,3]/-", "4294967295", "2147483647"),
        ("Gather-8/type/u64[2,3]/-", "18446744073709551615", "2147483647"),
        ("BitwiseNot-13/random/u16[5]", "7972", "0"),
        ("BitwiseLeftShift-15/type/u16[2],u16[2]/-", "40256", "65535"),
        ("Convert-1/type/f32[2]/destination_type=i8", "-100", "127"),
    ],
)
def test_saturated(case: str, expected: str, actual: str) -> None:
    assert text_of(wrong(case, expected, actual)) == "saturated"


@pytest.mark.parametrize(
    ("case", "expected", "actual"),
    [
        ("Clamp-1/type/i8[2,3]/min=-1.5,max=2.25", "-1", "-2"),
        ("Clamp-1/random/u8[2]/min=-0.75,max=2.625", "2", "3"),
        ("Abs-1/type/f32[2]/-", "127", "255"),
        ("Abs-1/type/f32[2]/-", "1.5", "0"),
        ("Equal-1/type/u32[2],u32[2]/-", "False", "True"),
        ("Abs-1/type/i32[2]/-", "12", "2147483647"),
    ],
)
def test_not_saturated(case: str, expected: str, actual: str) -> None:
    assert text_of(wrong(case, expected, actual)) == ""


def test_natures_of_wrong_values() -> None:
    narrowed = Facts(kind="value", computed_as="f64 as f32")
    assert text_of(wrong("A-1/type/f64[2]/-", "1.5", "1.25", narrowed)) == "right for f64 as f32"
    assert text_of(wrong("A-1/type/f64[2]/-", "1.5", "1.4999", error=1e-5)) == "imprecise"


def test_outputs_and_signals_are_no_symptoms() -> None:
    values = [
        wrong("A-1/type/f32[1]/-", "1.5", "7.5", Facts(kind="value", output=0)),
        wrong("A-1/type/f32[2]/-", "1.5", "nan", Facts(kind="not finite", output=1)),
    ]
    assert len(by_symptom(values)) == 1
    deaths = [
        Facts(stage="infer", kind="signal", signal="SIGSEGV"),
        Facts(stage="fetch", kind="signal", signal="SIGABRT"),
        Facts(stage="compile", kind="signal", signal="SIGSEGV"),
    ]
    records = [record(f"A-1/type/f32[{n}]/-", "CRASH", facts=f) for n, f in enumerate(deaths)]
    assert sorted(map(len, by_symptom(records).values())) == [1, 2]


def test_messages_with_most_words_in_common_are_one() -> None:
    def refused(case: str, message: str) -> CaseRecord:
        return record(case, "REFUSED", facts=Facts(stage="read", kind="message", message=message))

    same = "Check the element type of the input is not supported"
    found = by_symptom(
        [
            refused("A-1/plain/f32[1]/-", f"{same} A"),
            refused("B-1/plain/f32[1]/-", f"{same} B"),
            refused("B-1/plain/f32[2]/-", "no such operation"),
        ]
    )
    assert sorted(map(len, found.values())) == [1, 2]
    assert all(symptom.is_refusal and symptom.is_mechanism for symptom in found)
