"""Departures that a part of the case explains, and those that nothing does."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reports.__main__ import main
from reports.gate.known_groups import by_cause
from reports.results.explained.explanations import explained, unexplained
from reports.results.facts_of_departures import Facts, message_class
from reports.results.files.reading import load
from reports.results.records import CaseRecord, to_line
from reports.views.comparing.comparison import compare
from reports.views.headline import headline
from reports.views.junit import as_junit
from tests.unit.reports.small_results import header, record, write

PLAIN = "A-1/plain/f32[3,5]/mode=x"
U4 = "A-1/type/u4[3,5]/mode=x"
SPLIT = "A-1/type/i4[3,5]/mode=x"
REFUSAL = "u4 of layer 7 has no kernel here"
VALUE = Facts(kind="value", output=0)
INFINITE = 1.7976931348623157e308


def one(
    case: str, how: str = "", outcome: str = "FAIL", facts: Facts = VALUE, **other: Any
) -> CaseRecord:
    if outcome == "FAIL":
        other = {"wrong": 6, "elements": 15, "relative_error": 0.5, **other}
    return record(f"{case}/{how}" if how else case, outcome, facts=facts, **other)


def refused(
    case: str, how: str = "", message: str = REFUSAL, stage: Any = "compile", **other: Any
) -> CaseRecord:
    facts = Facts(stage=stage, kind="message", message=message_class(message))
    return one(case, how, "REFUSED", facts, **other)


def dead(case: str, how: str, signal: str, stage: Any = "infer", message: str = "") -> CaseRecord:
    facts = Facts(stage=stage, kind="signal", signal=signal, message=message_class(message))
    return one(case, how, "CRASH", facts)


def right(case: str, how: str = "", outcome: str = "PASS") -> CaseRecord:
    return one(case, how, outcome, Facts())


def told(*records: CaseRecord) -> dict[str, str]:
    """The explanation of each explained departure; the order of records must not matter."""
    found = {r.case: r.explained_by for r in explained(records) if r.explained_by}
    backwards = {r.case: r.explained_by for r in explained(records[::-1]) if r.explained_by}
    assert found == backwards
    return found


DIMS = "shape=dims"
CROSSING = f"{U4}/{DIMS}"


def test_what_alone_explains_a_crossing() -> None:
    assert told(right(PLAIN), right(PLAIN, DIMS), refused(U4), refused(U4, DIMS)) == {CROSSING: U4}


def test_how_alone_explains_a_crossing() -> None:
    found = told(right(PLAIN), refused(PLAIN, DIMS), right(U4), refused(U4, DIMS))
    assert found == {CROSSING: f"{PLAIN}/{DIMS}"}


def test_a_crossing_whose_parts_pass_stands_alone() -> None:
    assert told(right(PLAIN), right(PLAIN, DIMS), right(U4), refused(U4, DIMS)) == {}


def test_the_fewest_factors_explain() -> None:
    how = "index=parameters,shape=dims"
    records = [right(PLAIN), refused(U4), refused(U4, DIMS), refused(U4, how)]
    assert told(*records) == {CROSSING: U4, f"{U4}/{how}": U4}
    # Of three factors two may be what it takes.
    alone = [right(PLAIN), right(U4), refused(U4, DIMS), refused(U4, how)]
    assert told(*alone) == {f"{U4}/{how}": CROSSING}


def test_a_type_explains_a_random_layer_of_it() -> None:
    random = "A-1/random/u4[3,1,7]/mode=y"
    assert told(right(PLAIN), refused(U4), refused(random)) == {random: U4}
    # Without the plain layer nobody knows that only the type differs.
    assert told(refused(U4), refused(random)) == {}


def test_an_enumeration_value_in_its_way_explains_a_random_layer_in_it() -> None:
    value, random = "A-1/enumeration/f32[3,5]/mode=y", "A-1/random/f16[3,1,7]/mode=y"
    records = [
        right(PLAIN),
        right(value),
        refused(value, DIMS),
        right(random),
        refused(random, DIMS),
    ]
    assert told(*records) == {f"{random}/{DIMS}": f"{value}/{DIMS}"}


def test_a_case_between_them_that_passes_refutes_an_explanation() -> None:
    random = "A-1/random/u4[3,1,7]/mode=y"
    records = [right(PLAIN), refused(U4), right(random), refused(random, DIMS)]
    # The layer passes with u4: it is not u4 alone.
    assert told(*records) == {}
    assert told(right(PLAIN), right(U4), refused(SPLIT), refused(U4, DIMS)) == {}


def test_one_factor_of_another_layer_does_not_explain() -> None:
    assert told(right(PLAIN), refused(SPLIT), refused(U4, DIMS)) == {}


def shape(**place: Any) -> Facts:
    return Facts(kind="shape", **{"output": 0, **place})


@pytest.mark.parametrize(
    "part, whole",
    [
        (refused(U4), dead(U4, DIMS, "SIGSEGV", "compile")),
        (refused(U4), one(U4, DIMS)),
        (refused(U4), refused(U4, DIMS, stage="infer")),
        (refused(U4), refused(U4, DIMS, "the shape cannot be inferred")),
        (one(U4), one(U4, DIMS, facts=shape(), wrong=None)),
        (one(U4), one(U4, DIMS, facts=Facts(kind="type", output=0), wrong=None)),
        (one(U4), one(U4, DIMS, facts=Facts(kind="value", output=0, inference=2))),
        (one(U4), one(U4, DIMS, facts=Facts(kind="value", output=1))),
        (one(U4), one(U4, DIMS, facts=Facts(kind="not finite", output=0))),
        (one(U4, wrong=2), one(U4, DIMS, wrong=12)),
        (one(U4, relative_error=1e-6), one(U4, DIMS, relative_error=0.5)),
        (one(U4, relative_error=1e-6), one(U4, DIMS, relative_error=INFINITE)),
        (
            one(U4, relative_error=1e-6, fraction=2.0),
            one(U4, DIMS, relative_error=1e-6, fraction=1e5),
        ),
        (dead(U4, "", "SIGFPE"), dead(U4, DIMS, "SIGSEGV")),
        (dead(U4, "", "SIGSEGV"), dead(U4, DIMS, "SIGSEGV", "compile")),
        (
            dead(U4, "", "SIGABRT", message="terminate called: bad_alloc"),
            dead(U4, DIMS, "SIGABRT", message="free(): invalid pointer"),
        ),
        (
            one(U4, "", "ACCEPTED_INVALID", Facts(kind="accepted", rule="a")),
            one(U4, DIMS, "ACCEPTED_INVALID", Facts(kind="accepted", rule="b")),
        ),
        (one(U4, "", "ERROR", Facts()), one(U4, DIMS, "ERROR", Facts())),
        (one(U4, "", "ABSENT", Facts()), one(U4, DIMS, "ABSENT", Facts())),
    ],
)
def test_what_departs_otherwise_is_not_explained(part: CaseRecord, whole: CaseRecord) -> None:
    assert told(right(PLAIN), part, whole) == {}


NODE = "Check 'a' While validating node 'opset1::A A_{}' b"


@pytest.mark.parametrize(
    "part, whole",
    [
        (refused(U4), refused(U4, DIMS, REFUSAL.replace("7", "23"))),
        (
            refused(U4, "", NODE.format("7 (x f32[2])"), "read"),
            refused(U4, DIMS, NODE.format("9 (y z[?])"), "read"),
        ),
        (one(U4), one(U4, DIMS, facts=Facts(kind="value", output=0, inference=1))),
        (one(U4), one(U4, DIMS, relative_error=INFINITE, wrong=8)),
        (one(U4, relative_error=1e-6), one(U4, DIMS, relative_error=1e-5)),
        (one(U4, facts=shape(), wrong=None), one(U4, DIMS, facts=shape(), wrong=None)),
        (
            dead(U4, "", "SIGSEGV"),
            dead(U4, DIMS, "SIGABRT", "fetch", "free(): invalid next size"),
        ),
        (
            one(U4, "", "TIMEOUT", Facts(kind="timeout", stage="infer")),
            one(U4, DIMS, "TIMEOUT", Facts(kind="timeout", stage="infer")),
        ),
        (one(U4, "", "FOLDED", Facts()), one(U4, DIMS, "FOLDED", Facts())),
    ],
)
def test_what_departs_alike_is_explained(part: CaseRecord, whole: CaseRecord) -> None:
    assert told(right(PLAIN), part, whole) == {CROSSING: U4}


def test_likeness_does_not_get_lost_along_a_chain() -> None:
    low, middle, high = (
        one(U4, wrong=1, elements=100),
        one(U4, "shape=dims", wrong=11, elements=100),
        one(U4, "index=parameters,shape=dims", wrong=30, elements=100),
    )
    assert told(right(PLAIN), low, middle, high) == {middle.case: U4}


def test_a_known_failure_that_is_worse_is_never_explained() -> None:
    worse = one(U4, DIMS, gate="worse", baseline="FAIL, 10% of the elements")
    assert told(right(PLAIN), one(U4), worse) == {}


def test_a_case_that_passed_before_is_explained_only_by_such_a_case() -> None:
    """A part that departed before, too, did not explain then why the crossing passed."""
    broken = one(U4, DIMS, gate="broken", baseline="passes")
    assert told(right(PLAIN), one(U4), broken) == {}
    assert told(right(PLAIN), one(U4, gate="known"), broken) == {}
    part = one(U4, gate="broken", baseline="passes")
    assert told(right(PLAIN), part, broken) == {CROSSING: U4}
    records = [right(PLAIN), part, broken]
    assert [unexplained(each) for each in explained(records)] == records


def test_conflicting_results_are_not_explained() -> None:
    whole = refused(U4, DIMS)
    flaky = refused(U4, DIMS, conflicts=[right(U4, DIMS)])
    assert told(right(PLAIN), refused(U4), whole) == {CROSSING: U4}
    assert told(right(PLAIN), refused(U4), flaky) == {}


@pytest.mark.parametrize(
    "alone", [U4, "A-1/example/u4[3,5]/mode=x", "A-1/variant.odd/f32[3,5]/mode=y"]
)
def test_a_single_factor_is_not_explained(alone: str) -> None:
    assert told(refused(PLAIN), refused(alone), refused(PLAIN, DIMS)) == {}
    assert told(refused(PLAIN), refused(alone), refused(alone, DIMS)) == {f"{alone}/{DIMS}": PLAIN}


def test_devices_and_profiles_are_apart() -> None:
    assert told(right(PLAIN), refused(U4), refused(U4, DIMS, device="GPU")) == {}
    assert told(right(PLAIN), refused(U4), refused(U4, DIMS, profile="performance")) == {}


CAUSE = {"cause": "no-u4", "cause_class": "limit", "reason": "there is no u4", "since": "2024.0"}
KNOWN = refused(U4, gate="known", **CAUSE)


def test_the_gate_is_as_good_as_that_of_the_part() -> None:
    plain, part, whole = explained([right(PLAIN), KNOWN, refused(U4, DIMS)])
    assert (plain.gate, part.gate, whole.gate) == ("pass", "known", "explained")
    assert (whole.cause, whole.cause_class, whole.reason) == ("no-u4", "limit", "there is no u4")
    _, part, whole = explained([right(PLAIN), refused(U4), refused(U4, DIMS)])
    assert (part.gate, whole.gate, whole.cause) == ("new", "explained", "")


@pytest.mark.parametrize("gate", ["known", "new case"])
def test_a_crossing_with_a_cause_keeps_it(gate: str) -> None:
    same = refused(U4, DIMS, gate=gate, **CAUSE)
    found = explained([right(PLAIN), KNOWN, same])[2]
    assert (found.gate, found.explained_by) == (gate, U4)
    other = refused(U4, DIMS, gate=gate, **{**CAUSE, "cause": "no-shapes"})
    assert explained([right(PLAIN), KNOWN, other])[2] == other


def test_an_explanation_can_be_taken_back() -> None:
    records = [right(PLAIN), KNOWN, refused(U4, DIMS), one(SPLIT)]
    assert [unexplained(record) for record in explained(records)] == records


# --- files and reports ----------------------------------------------------------------------------

RECORDS = [
    right(PLAIN),
    right(PLAIN, DIMS),
    refused(U4),
    refused(U4, DIMS),
    refused(U4, "data=constant"),
    right(SPLIT),
    refused(SPLIT, DIMS),
]


def results(path: Path, records: Sequence[CaseRecord]) -> Path:
    return write(path, header(), *records)


def test_results_are_explained_when_they_are_read(tmp_path: Path) -> None:
    loaded = load(results(tmp_path / "a.jsonl", RECORDS))
    assert {r.case: r.explained_by for r in loaded.records if r.gate == "explained"} == {
        CROSSING: U4,
        f"{U4}/data=constant": U4,
    }
    assert [r.case for r in loaded.changed] == [CROSSING, f"{U4}/data=constant"]
    # Written down, nothing is left to change; with a pass in a later line the explanation is gone.
    path = results(tmp_path / "b.jsonl", [*RECORDS, *loaded.changed])
    assert load(path).changed == []
    path = results(tmp_path / "c.jsonl", [*RECORDS, *loaded.changed, right(U4)])
    assert [(r.case, r.gate) for r in load(path).changed] == [
        (CROSSING, "new"),
        (f"{U4}/data=constant", "new"),
    ]


def test_shards_are_explained_by_each_other(tmp_path: Path) -> None:
    one, two = RECORDS[::2], RECORDS[1::2]
    files = [results(tmp_path / f"{n}.jsonl", part) for n, part in enumerate((one, two))]
    whole = load(results(tmp_path / "whole.jsonl", RECORDS)).records
    merged, twice = tmp_path / "merged.jsonl", tmp_path / "twice.jsonl"
    assert main(["merge", *map(str, files), "--out", str(merged)]) == 0
    assert main(["merge", str(files[1]), str(merged), "--out", str(twice)]) == 0
    assert sorted(map(to_line, load(merged).records)) == sorted(map(to_line, whole))
    assert load(twice).records == load(merged).records
    # The same part, asked in both shards, is no conflict.
    both = load([results(tmp_path / "x.jsonl", explained(RECORDS)), files[0], files[1]])
    assert not any(record.conflicts for record in both.records)


def test_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "a.jsonl", RECORDS)
    assert main(["summary", str(path)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("2 unexpected departures (2 new) in 7 cases on CPU (accuracy)")
    assert "· 2 due to a simpler case that fails" in out
    assert f"2 larger cases due to it, such as {CROSSING}" in out
    # Only what stands alone is listed.
    assert sum(line.strip().startswith("REFUSED") for line in out.splitlines()) == 2
    assert main(["summary", str(path), "--markdown"]) == 1
    assert "2 larger cases due to it" in capsys.readouterr().out


def test_summary_of_what_known_causes_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path / "a.jsonl", [right(PLAIN), KNOWN, refused(U4, DIMS)])
    assert main(["summary", str(path), "--strict-gate"]) == 0
    out = capsys.readouterr().out
    assert "1 limit of support (1 case) · 1 due to a simpler case that fails" in out
    assert next(line.split() for line in out.splitlines() if "there is no u4" in line)[:6] == [
        *("1", "1", "refusal,", "rare", "layers", "limit")
    ]
    assert main(["summary", str(path), "--class", "limit"]) == 0
    assert CROSSING in capsys.readouterr().out


def test_causes(tmp_path: Path) -> None:
    loaded = load(results(tmp_path / "a.jsonl", [right(PLAIN), KNOWN, refused(U4, DIMS)]))
    (cause,) = by_cause(loaded.records, {})
    assert [r.case for r in cause.records] == [U4]
    assert [r.case for r in cause.explained] == [CROSSING]
    assert "1 due to a simpler case that fails" in headline(
        loaded.records, loaded.targets(), loaded
    )


def test_junit_and_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "a.jsonl", RECORDS)
    text = as_junit(load(path))
    assert 'tests="7" failures="2" errors="0" skipped="2"' in text
    assert f"due to {U4}, which fails" in text
    assert main(["export", str(path), "--format", "csv"]) == 0
    assert "explained_by" in capsys.readouterr().out.splitlines()[0]
    assert main(["export", str(path), "--format", "ctrf"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]["summary"]["failed"] == 2


def test_page(tmp_path: Path) -> None:
    path, page = results(tmp_path / "a.jsonl", RECORDS), tmp_path / "a.html"
    assert main(["html", str(path), "--out", str(page)]) == 0
    text = page.read_text()
    words = re.sub(r"<[^>]*>", "", text)
    assert re.search(r"\b2 \+ 2 due to these", words)
    assert "2 unexpected departures (2 new) in 7 cases" in words
    assert "\n2 due to a simpler case that fails\n" in words


def test_comparison_folds_what_another_case_explains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = results(
        tmp_path / "old.jsonl",
        [right(r.case) for r in RECORDS],
    )
    after = results(tmp_path / "new.jsonl", RECORDS)
    assert compare(load(before), load(after)).counts() == {"broken": 2, "explained": 2}
    assert main(["compare", str(before), str(after)]) == 1
    out = capsys.readouterr().out
    broken, _, due = out[out.index("broken (2 cases)") :].partition("explained (2 cases)")
    assert CROSSING not in broken
    assert CROSSING in due
    assert f"{SPLIT}/{DIMS}" in broken
    assert main(["compare", str(after), str(before)]) == 0
    assert "and 2 due to these" in capsys.readouterr().out


def test_the_head_of_a_page_of_known_and_explained_departures(tmp_path: Path) -> None:
    path = results(tmp_path / "a.jsonl", [right(PLAIN), KNOWN, refused(U4, DIMS)])
    page = tmp_path / "a.html"
    assert main(["html", str(path), "--out", str(page)]) == 0
    text = re.sub(r"<[^>]*>", "", page.read_text())
    assert "\n0 unexpected departures in 3 cases\n" in text
    assert "\n1 limit of support (1 case)\n1 due to a simpler case that fails\n" in text
