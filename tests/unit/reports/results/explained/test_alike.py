"""Whether two departures are of one kind, and what a kind is called."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from reports.results.explained.alike import (
    are_alike,
    described,
    described_facts,
    have_alike_words,
    kind_of_facts,
)
from reports.results.facts_of_departures import Facts, Kind, message_class
from reports.results.outcomes import Outcome
from tests.unit.reports.small_results import record


def words(*given: str) -> frozenset[str]:
    return frozenset(given)


def is_of_one_kind(one: tuple[Outcome, Facts], other: tuple[Outcome, Facts]) -> bool:
    return kind_of_facts(*one)[0] == kind_of_facts(*other)[0]


@pytest.mark.parametrize(
    "one, other, alike",
    [
        ((), (), True),
        (("a",), (), False),
        (("a", "b", "c", "d"), ("a", "b", "c", "d"), True),
        # 4 of 5 words are enough, 4 of 6 are not.
        (("a", "b", "c", "d", "e"), ("a", "b", "c", "d"), True),
        (("a", "b", "c", "d", "e"), ("a", "b", "c", "d", "f"), False),
    ],
)
def test_words_that_messages_have_in_common(
    one: tuple[str, ...], other: tuple[str, ...], alike: bool
) -> None:
    assert have_alike_words(words(*one), words(*other)) is alike
    assert have_alike_words(words(*other), words(*one)) is alike


FAIL = (Outcome.FAIL, Facts(kind="value", output=0))
SEGV = (Outcome.CRASH, Facts(stage="infer", kind="signal", signal="SIGSEGV"))


@pytest.mark.parametrize(
    "other, alike",
    [
        (Facts(kind="value"), True),
        (Facts(kind="value", output=0, inference=1), True),
        (Facts(kind="value", output=0, inference=2), False),
        (Facts(kind="value", output=1), False),
        (Facts(kind="shape", output=0), False),
        (Facts(kind="value", output=0, stage="infer"), False),
        (Facts(kind="value", output=0, rule="r"), False),
    ],
)
def test_the_place_and_the_kind_of_a_wrong_answer(other: Facts, alike: bool) -> None:
    assert is_of_one_kind(FAIL, (Outcome.FAIL, other)) is alike
    assert not is_of_one_kind(FAIL, (Outcome.REFUSED, other))


@pytest.mark.parametrize(
    "signal, stage, message, alike",
    [
        ("SIGSEGV", "infer", "", True),
        ("SIGBUS", "infer", "", True),
        # Damage that an inference did shows when its memory is used or freed.
        ("SIGSEGV", "fetch", "", True),
        ("SIGABRT", "release", "free(): invalid pointer", True),
        ("SIGABRT", "infer", "malloc(): corrupted top size", True),
        ("SIGABRT", "infer", "terminate called after throwing", False),
        ("SIGFPE", "infer", "", False),
        ("SIGSEGV", "compile", "", False),
    ],
)
def test_damage_to_memory_shows_in_one_way_or_another(
    signal: str, stage: Any, message: str, alike: bool
) -> None:
    facts = Facts(stage=stage, kind="signal", signal=signal, message=message_class(message))
    assert is_of_one_kind(SEGV, (Outcome.CRASH, facts)) is alike


def fail(**other: Any) -> Any:
    given = {"wrong": 10, "elements": 100, "relative_error": 0.5, "facts": FAIL[1], **other}
    return record("A-1/plain/f32[100]", "FAIL", **given)


@pytest.mark.parametrize(
    "part, whole, alike",
    [
        ({}, {}, True),
        # Twice the share and a tenth is what other data explain.
        ({}, {"wrong": 30}, True),
        ({}, {"wrong": 31}, False),
        ({}, {"wrong": 1}, True),
        # A wrong element is as far off as the data are.
        ({}, {"relative_error": 1e9}, True),
        ({"relative_error": 1e-4}, {"relative_error": 0.9e-2}, True),
        ({"relative_error": 1e-4}, {"relative_error": 1.1e-2}, False),
        (
            {"relative_error": 1e-4, "fraction": 2.0},
            {"relative_error": 1e-4, "fraction": 301.0},
            False,
        ),
        (
            {"relative_error": 1e-4, "fraction": 2.0},
            {"relative_error": 1e-4, "fraction": 299.0},
            True,
        ),
        ({"wrong": None}, {}, False),
        ({}, {"wrong": None}, True),
    ],
)
def test_a_part_that_is_clearly_less_wrong(
    part: dict[str, Any], whole: dict[str, Any], alike: bool
) -> None:
    assert are_alike(fail(**part), fail(**whole)) is alike


@pytest.mark.parametrize(
    "outcome, facts, text",
    [
        (Outcome.FOLDED, Facts(), "FOLDED"),
        (Outcome.FAIL, Facts(kind="value", output=0), "FAIL: wrong values in output"),
        (Outcome.FAIL, Facts(kind="value", output=1), "FAIL: wrong values in output 1"),
        (
            Outcome.FAIL,
            Facts(kind="shape", output=1, inference=2),
            "FAIL: wrong shape of inference 2, output 1",
        ),
        (
            Outcome.FAIL,
            Facts(kind="not finite", output=0, computed_as="f64 as f32"),
            "FAIL: NaN or infinity in output, right for f64 as f32",
        ),
        (Outcome.FAIL, Facts(kind="outputs"), "FAIL: wrong number of outputs"),
        (
            Outcome.FAIL,
            Facts(kind="type at reading", output=0),
            "FAIL: wrong element type inferred at reading of output",
        ),
        (
            Outcome.FAIL,
            Facts(kind="empty message", stage="compile"),
            "FAIL: refused at compile with an empty message",
        ),
        (
            Outcome.REFUSED,
            Facts(kind="message", stage="compile", message="no kernel"),
            "REFUSED: at compile: no kernel",
        ),
        (Outcome.CRASH, SEGV[1], "CRASH: SIGSEGV in infer"),
        (
            Outcome.CRASH,
            Facts(stage="infer", kind="signal", signal="SIGABRT", message="free invalid pointer"),
            "CRASH: SIGABRT in infer: free invalid pointer",
        ),
        (
            Outcome.TIMEOUT,
            Facts(kind="timeout", stage="compile"),
            "TIMEOUT: no answer in compile",
        ),
        (
            Outcome.ACCEPTED_INVALID,
            Facts(kind="accepted", rule="block-size"),
            "ACCEPTED_INVALID: an invalid layer is computed (block-size)",
        ),
        (
            Outcome.ACCEPTED_INVALID,
            Facts(kind="accepted"),
            "ACCEPTED_INVALID: an invalid layer is computed",
        ),
        (Outcome.FLAKE, Facts(kind="two answers"), "FLAKE: two answers for the same data"),
        (Outcome.FLAKE, Facts(kind="not repeated"), "FLAKE: what happened once did not happen again"),
    ],
)  # fmt: skip
def test_what_departures_of_one_kind_are_called(outcome: Outcome, facts: Facts, text: str) -> None:
    assert described_facts(outcome, facts) == text
    one = record("A-1/plain/f32[2]", str(outcome), facts=facts, detail="of this case alone")
    assert described(one) == text


@pytest.mark.parametrize("kind", get_args(Kind))
def test_each_kind_has_a_text(kind: Any) -> None:
    assert described_facts(Outcome.FAIL, Facts(kind=kind, stage="infer")).startswith("FAIL: ")
