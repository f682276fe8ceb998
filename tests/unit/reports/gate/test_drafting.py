"""Drafts of selectors: what departures share and cases that conform lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.gate.causes import read
from reports.gate.drafting import MOST_SELECTORS, draft_selectors
from reports.gate.new_causes import cause_text
from reports.gate.selectors import Selector, features_of
from reports.results.facts_of_departures import Facts
from reports.results.records import CaseRecord
from tests.unit.reports.small_results import record

WRONG = Facts(kind="value", output=0)
ALPHA = "alpha=0.75"


def failed(case: str, facts: Facts = WRONG) -> CaseRecord:
    return record(case, "FAIL", facts=facts)


def passed(cases: Iterable[str]) -> list[CaseRecord]:
    return [record(case) for case in cases]


def as_read(drafts: Sequence[Mapping[str, object]], folder: Path) -> tuple[Selector, ...]:
    path = folder / "a.toml"
    path.write_text(
        cause_text({"title": "t", "class": "defect", "devices": ["CPU"]}, drafts), encoding="utf-8"
    )
    return read(path).selectors


def test_what_every_layer_has_is_no_condition() -> None:
    types = ("f32", "f16", "bf16", "i8", "u8")
    ranks = ("2,3", "2,3,5", "7")
    cases = [f"Elu-1/type/{kind}[{rank}]/{ALPHA}" for kind in types for rank in ranks]
    failures = [failed(f"{case}/shape=dims") for case in cases]
    others = passed([*cases, *(f"{case}/shape=bounds" for case in cases)])
    assert draft_selectors(failures, others) == [
        {
            "operation": ["Elu-1"],
            "how": {"shape": ["dims"]},
            "outcome": ["FAIL"],
            "kind": ["value"],
        }
    ]


@pytest.mark.parametrize(
    "failures, others, expected",
    [
        # Nothing conforms: what they share of how they ended is all that tells.
        (["A-1/plain/f32[2]/axis=1"], [], {}),
        (["A-1/type/f16[2]", "A-1/type/bf16[2]"], ["A-1/type/f32[2]"], {"type": ["bf16", "f16"]}),
        (["A-1/type/f32[2],i64[3]"], ["A-1/type/f32[2],i32[3]"], {"type": ["i64"]}),
        (["A-1/dim-0/f32[0,2]"], ["A-1/dim-1/f32[1,2]"], {"dimension": ["0"]}),
        (
            [f"A-1/plain/f32[2]/mode={mode}" for mode in "abcdefghi"],
            ["A-1/plain/f32[2]/-"],
            {"parameter": {"mode": ["!-"]}},
        ),
        (
            [f"A-1/plain/f32[2]/-/behind={one}" for one in "abcdefghi"],
            ["A-1/plain/f32[2]/-"],
            {"how": {"behind": ["?*"]}},
        ),
        (
            [f"A-1/plain/f32[2]/-/behind={one}" for one in "abcdefghi"],
            ["A-1/plain/f32[2]/-/behind=abs"],
            {"how": {"behind": ["!abs"]}},
        ),
        # Cases of another operation conform whatever is wrong with this one.
        (["A-1/plain/f32[2]"], ["B-1/plain/f32[2]"], {}),
    ],
)
def test_the_cheapest_condition_that_excludes_what_conforms(
    failures: list[str], others: list[str], expected: dict[str, object]
) -> None:
    (draft,) = draft_selectors([failed(case) for case in failures], passed(others))
    assert {n: v for n, v in draft.items() if n not in ("operation", "outcome", "kind")} == expected


def test_what_all_departures_share_of_how_they_ended() -> None:
    facts = Facts(stage="compile", kind="message", message="Check a b c failed at x")
    other = Facts(stage="infer", kind="message", message="at y Check a b c failed")
    both = [
        record("A-1/plain/f32[2]", "REFUSED", facts=facts),
        record("B-1/plain/f32[2]", "REFUSED", facts=other),
    ]
    assert draft_selectors(both, []) == [
        {
            "operation": ["A-1", "B-1"],
            "outcome": ["REFUSED"],
            "stage": ["compile", "infer"],
            "kind": ["message"],
            "message": ["*Check a b c failed*"],
        }
    ]
    died = record(
        "A-1/type/u4[2]", "CRASH", facts=Facts(stage="compile", kind="signal", signal="S")
    )
    (draft,) = draft_selectors([both[0], died], [])
    assert "message" not in draft
    assert "signal" not in draft
    assert draft["outcome"] == ["CRASH", "REFUSED"]


def test_the_rule_that_is_broken_is_always_a_condition() -> None:
    accepted = record(
        "A-1/invalid/f32[2]/axis=7", "ACCEPTED_INVALID", facts=Facts(kind="accepted", rule="axis")
    )
    refused = record("A-1/invalid/f32[2]/axis=-7", facts=Facts(rule="least"))
    (draft,) = draft_selectors([accepted], [refused, *passed(["A-1/plain/f32[2]"])])
    assert draft == {
        "operation": ["A-1"],
        "rule": ["axis"],
        "outcome": ["ACCEPTED_INVALID"],
        "kind": ["accepted"],
    }


def test_departures_of_two_kinds_are_split() -> None:
    failures = [f"A-1/type/{kind}[2]/-/values=ends" for kind in ("i64", "u64")]
    failures += [f"B-1/type/{kind}[2]/-/shape=dims" for kind in ("f32", "f16", "bf16")]
    others = [f"A-1/type/{kind}[2]/-/shape=dims" for kind in ("i64", "u64", "f32", "f16")]
    others += [f"B-1/type/{kind}[2]/-/values=ends" for kind in ("i64", "f32", "f16")]
    drafts = draft_selectors([failed(case) for case in failures], passed(others))
    assert [(draft["operation"], draft["how"]) for draft in drafts] == [
        (["B-1"], {"shape": ["dims"]}),
        (["A-1"], {"values": ["ends"]}),
    ]


def test_graphs_are_told_by_layers_that_follow_each_other() -> None:
    def graph(name: str, *layers: str) -> dict[str, str]:
        steps = [f"v{n}={layer}(v{n - 1})" for n, layer in enumerate(layers, 1)]
        return {"graph": "; ".join(["v0=f32[2]", *steps, f"return v{len(layers)}"])}

    failures = [
        record("p/graphs/f32[12]/-", "FAIL", facts=WRONG, **graph("p", "Abs-1", "Exp-1", "Cos-1")),
        record("p/graphs/f32[22]/-", "FAIL", facts=WRONG, **graph("p", "Sin-1", "Abs-1", "Exp-1")),
    ]
    others = [
        record("p/graphs/f32[32]/-", **graph("p", "Exp-1", "Abs-1")),
        record("p/graphs/f32[42]/-", **graph("p", "Abs-1", "Cos-1", "Exp-1")),
    ]
    (draft,) = draft_selectors(failures, others)
    assert draft["layers"] == ["*Abs-1 Exp-1 *"]


cases = st.builds(
    lambda operation, purpose, kind, rank, mode, way: (
        f"{operation}/{purpose}/{kind}[{','.join('2' * rank)}]/{mode}{way}"
    ),
    st.sampled_from(["A-1", "B-1", "C-4"]),
    st.sampled_from(["plain", "type", "random"]),
    st.sampled_from(["f32", "f16", "i64"]),
    st.integers(1, 3),
    st.sampled_from(["-", "mode=x", "mode=y,axis=1"]),
    st.sampled_from(["", "/shape=dims", "/values=ends,behind=abs"]),
)


@settings(max_examples=60)
@given(st.sets(cases, min_size=1, max_size=30), st.sets(cases, max_size=30))
def test_a_draft_selects_every_departure(
    tmp_path_factory: pytest.TempPathFactory, failing: set[str], conforming: set[str]
) -> None:
    failures = [failed(case) for case in sorted(failing)]
    others = passed(sorted(conforming - failing))
    drafts = draft_selectors(failures, others)
    assert drafts == draft_selectors(failures, others)
    assert 1 <= len(drafts) <= MOST_SELECTORS
    selectors = as_read(drafts, tmp_path_factory.mktemp("causes"))
    assert all(any(one.selects(features_of(each)) for one in selectors) for each in failures)
