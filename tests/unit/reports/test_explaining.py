"""Departures that a part of the case explains, and those that nothing does."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from small_results import header, record, write

from reports.__main__ import main
from reports.comparing.comparison import compare
from reports.explaining.explanations import explained, unexplained
from reports.results.reading import load
from reports.results.records import CaseRecord, to_line
from reports.views.groups import causes_of, unexpected
from reports.views.headline import headline
from reports.views.junit import as_junit

PLAIN = "A-1/plain/f32[3,5]/mode=x"
U4 = "A-1/type/u4[3,5]/mode=x"
SPLIT = "A-1/type/i4[3,5]/mode=x"
REFUSAL = "at compile: u4 of layer 7 has no kernel here"
VALUE = "output: [0,1] is 3, should be 4; 6 of 15 wrong"
INFINITE = 1.7976931348623157e308


def one(case: str, how: str = "", outcome: str = "FAIL", **other: Any) -> CaseRecord:
    if outcome == "FAIL":
        other = {"wrong": 6, "elements": 15, "relative_error": 0.5, "detail": VALUE, **other}
    whole = f"{case}/{how}" if how else case
    return record(whole, outcome, how=how, **other)


def refused(case: str, how: str = "", detail: str = REFUSAL, **other: Any) -> CaseRecord:
    return one(case, how, "REFUSED", detail=detail, **other)


def right(case: str, how: str = "", outcome: str = "PASS") -> CaseRecord:
    return one(case, how, outcome)


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


@pytest.mark.parametrize(
    "part, whole",
    [
        (refused(U4), one(U4, DIMS, "CRASH", detail="SIGSEGV in compile")),
        (refused(U4), one(U4, DIMS)),
        (refused(U4), refused(U4, DIMS, "at infer: u4 of layer 9 has no kernel here")),
        (refused(U4), refused(U4, DIMS, "at compile: the shape cannot be inferred")),
        (one(U4), one(U4, DIMS, detail="output: shape is [3], should be [3,5]", wrong=None)),
        (one(U4), one(U4, DIMS, detail="output: type is f32, should be u4", wrong=None)),
        (one(U4), one(U4, DIMS, detail=f"inference 2, {VALUE}")),
        (one(U4), one(U4, DIMS, detail=VALUE.replace("output", "output 1"))),
        (one(U4), one(U4, DIMS, detail=VALUE.replace("is 3", "is nan"))),
        (one(U4, wrong=2), one(U4, DIMS, wrong=12)),
        (one(U4, relative_error=1e-6), one(U4, DIMS, relative_error=0.5)),
        (one(U4, relative_error=1e-6), one(U4, DIMS, relative_error=INFINITE)),
        (
            one(U4, relative_error=1e-6, fraction=2.0),
            one(U4, DIMS, relative_error=1e-6, fraction=1e5),
        ),
        (
            one(U4, "", "CRASH", detail="SIGFPE in infer"),
            one(U4, DIMS, "CRASH", detail="SIGSEGV in infer"),
        ),
        (
            one(U4, "", "CRASH", detail="SIGSEGV in infer"),
            one(U4, DIMS, "CRASH", detail="SIGSEGV in compile"),
        ),
        (
            one(U4, "", "CRASH", detail="SIGABRT in infer: terminate called: bad_alloc"),
            one(U4, DIMS, "CRASH", detail="SIGABRT in infer: free(): invalid pointer"),
        ),
        (
            one(U4, "", "ACCEPTED_INVALID", rule="a is 1", detail=""),
            one(U4, DIMS, "ACCEPTED_INVALID", rule="b is 1", detail=""),
        ),
        (one(U4, "", "ERROR", detail="no verdict"), one(U4, DIMS, "ERROR", detail="no verdict")),
        (one(U4, "", "ABSENT", detail="not here"), one(U4, DIMS, "ABSENT", detail="not here")),
    ],
)
def test_what_departs_otherwise_is_not_explained(part: CaseRecord, whole: CaseRecord) -> None:
    assert told(right(PLAIN), part, whole) == {}


@pytest.mark.parametrize(
    "part, whole",
    [
        (refused(U4), refused(U4, DIMS, REFUSAL.replace("7", "23"))),
        (
            refused(
                U4, "", "at read: Check 'a' While validating node 'opset1::A A_7 (x f32[2])' b"
            ),
            refused(
                U4, DIMS, "at read: Check 'a' While validating node 'opset1::A A_9 (y z[?])' b"
            ),
        ),
        (one(U4), one(U4, DIMS, detail=f"inference 1, {VALUE}".replace("is 3", "is 5"))),
        (one(U4), one(U4, DIMS, relative_error=INFINITE, wrong=8)),
        (one(U4, relative_error=1e-6), one(U4, DIMS, relative_error=1e-5)),
        (
            one(U4, detail="output: shape is [3], should be [3,5]", wrong=None),
            one(U4, DIMS, detail="output: shape is [5,3], should be [3,5]", wrong=None),
        ),
        (
            one(U4, "", "CRASH", detail="SIGSEGV in infer"),
            one(U4, DIMS, "CRASH", detail="SIGABRT in fetch: free(): invalid next size"),
        ),
        (
            one(U4, "", "TIMEOUT", detail="no answer to infer within 10 s"),
            one(U4, DIMS, "TIMEOUT", detail="no answer to infer within 10 s"),
        ),
        (one(U4, "", "FOLDED"), one(U4, DIMS, "FOLDED")),
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
    worse = one(U4, DIMS, detail=f"worse than known (10% of the elements): {VALUE}")
    assert told(right(PLAIN), one(U4), worse) == {}


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
KNOWN = refused(U4, gate="expected", **CAUSE)


def test_the_gate_is_as_good_as_that_of_the_part() -> None:
    plain, part, whole = explained([right(PLAIN), KNOWN, refused(U4, DIMS)])
    assert (plain.gate, part.gate, whole.gate) == ("pass", "expected", "explained")
    assert (whole.cause, whole.cause_class, whole.reason) == ("no-u4", "limit", "there is no u4")
    _, part, whole = explained([right(PLAIN), refused(U4), refused(U4, DIMS)])
    assert (part.gate, whole.gate, whole.cause) == ("departure", "explained", "")


def test_an_expected_crossing_stays_expected() -> None:
    same = refused(U4, DIMS, gate="expected", **CAUSE)
    found = explained([right(PLAIN), KNOWN, same])[2]
    assert (found.gate, found.explained_by) == ("expected", U4)
    other = refused(U4, DIMS, gate="expected", **{**CAUSE, "cause": "no-shapes"})
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
        (CROSSING, "departure"),
        (f"{U4}/data=constant", "departure"),
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
    assert out.startswith("2 unexpected departures in 7 cases on CPU (accuracy)")
    assert "· 2 explained by a part" in out
    assert f"explains 2 other departures, such as {CROSSING}" in out
    # Only what stands alone is listed.
    assert sum(line.strip().startswith("REFUSED") for line in out.splitlines()) == 2
    assert main(["summary", str(path), "--markdown"]) == 1
    assert "explains 2 other departures" in capsys.readouterr().out


def test_summary_of_what_known_root_causes_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path / "a.jsonl", [right(PLAIN), KNOWN, refused(U4, DIMS)])
    assert main(["summary", str(path), "--strict"]) == 0
    out = capsys.readouterr().out
    assert "1 limit (1 case) · 1 explained by a part" in out
    assert next(line.split() for line in out.splitlines() if "there is no u4" in line)[:3] == [
        *("1", "1", "limit")
    ]
    assert main(["summary", str(path), "--class", "limit"]) == 0
    assert CROSSING in capsys.readouterr().out


def test_causes(tmp_path: Path) -> None:
    loaded = load(results(tmp_path / "a.jsonl", [right(PLAIN), KNOWN, refused(U4, DIMS)]))
    (cause,) = causes_of(loaded.records)
    assert [r.case for r in cause.records] == [U4]
    assert [r.case for r in cause.explained] == [CROSSING]
    (kind,) = unexpected(load(results(tmp_path / "b.jsonl", RECORDS)).records)
    assert (len(kind.records), len(kind.explained)) == (2, 2)
    assert "1 explained by a part" in headline(loaded.records, loaded.targets(), loaded)


def test_junit_and_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "a.jsonl", RECORDS)
    text = as_junit(load(path))
    assert 'tests="7" failures="2" errors="0" skipped="2"' in text
    assert f"explained by {U4}" in text
    assert main(["export", str(path), "--format", "csv"]) == 0
    assert "explained_by" in capsys.readouterr().out.splitlines()[0]
    assert main(["export", str(path), "--format", "ctrf"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]["summary"]["failed"] == 2


def test_page(tmp_path: Path) -> None:
    path, page = results(tmp_path / "a.jsonl", RECORDS), tmp_path / "a.html"
    assert main(["html", str(path), "--out", str(page)]) == 0
    text = page.read_text()
    assert re.search(r"\b2 \+ 2 explained", re.sub(r"<[^>]*>", "", text))
    assert "2 explained by a part in 7 cases" in text.replace("</strong>", "").replace(
        '<strong class="">', ""
    )


def test_comparison_folds_what_another_case_explains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = results(
        tmp_path / "old.jsonl",
        [right(r.case.removesuffix(f"/{r.how}") if r.how else r.case, r.how) for r in RECORDS],
    )
    after = results(tmp_path / "new.jsonl", RECORDS)
    assert compare(load(before), load(after)).counts()["broken"] == 4
    assert main(["compare", str(before), str(after)]) == 1
    out = capsys.readouterr().out
    broken = out[out.index("4 cases broken") : out.index("4 cases refused")]
    assert "and 2 that these explain" in broken
    assert CROSSING not in broken
    assert f"{SPLIT}/{DIMS}" in broken
    assert main(["compare", str(after), str(before)]) == 0
    assert "and 2 that these explain" in capsys.readouterr().out


def test_expectations_need_no_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "a.jsonl", RECORDS)
    update = ["expectations", "update", str(path), "--device", "CPU", "--directory", str(tmp_path)]
    assert main(update) == 1
    out = capsys.readouterr().out
    assert "2 departures, new" in out
    assert CROSSING not in out
    # Accepted is what stands alone.
    assert main([*update, "--title", "there is no u4", "--class", "limit"]) == 0
    assert "2 departures accepted in 1 new entry" in capsys.readouterr().out
    assert main(update) == 0
    capsys.readouterr()
    check = ["expectations", "check", str(path), "--directory", str(tmp_path)]
    assert main(check) == 0
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("there-is-no-u4")]
    explains, through = map(int, line.split()[1:3])
    assert explains + through == 4


def test_the_head_of_a_page_of_known_and_explained_departures(tmp_path: Path) -> None:
    path = results(tmp_path / "a.jsonl", [right(PLAIN), KNOWN, refused(U4, DIMS)])
    page = tmp_path / "a.html"
    assert main(["html", str(path), "--out", str(page)]) == 0
    text = re.sub(r"<[^>]*>", "", page.read_text())
    assert "1 known departure, 0 unexpected, 1 explained by a part, in 3 cases" in text


@pytest.mark.parametrize(
    ("detail", "kind"),
    [
        ("output: [0,1] is 3, should be 4; 6 of 15 wrong", "FAIL: wrong values in output of A-1"),
        (
            "inference 2, output 1 for f32[2]: shape is [3,2], should be [2,3]",
            "FAIL: wrong shape of inference 2, output 1 of A-1",
        ),
        (
            "output: shape inferred at reading is [], its rank should be 1",
            "FAIL: wrong shape inferred at reading of output of A-1",
        ),
        ("output: type is f16, should be f32", "FAIL: output of A-1: type is f16, should be f32"),
        ("3 outputs, should be 2", "FAIL: # outputs, should be #"),
    ],
)
def test_what_failures_of_one_kind_are_called(detail, kind):
    (found,) = unexpected([one(PLAIN, detail=detail, gate="departure")])
    assert found.title == kind
