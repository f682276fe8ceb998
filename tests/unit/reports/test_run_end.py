"""The end of a run: samples at 80, 120 and 200 columns, as files that a reviewer reads, and how long they are.

``python -m tests.unit.reports.test_run_end`` writes the samples again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec.structs import replace

from reports.gate import baseline_files, decision
from reports.gate.causes import Cause, Causes
from reports.results.explained.explanations import explained
from reports.results.facts_of_departures import Facts
from reports.results.files.reading import Results, load
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, Header, WorstElement
from reports.results.shared.text import rounded
from reports.views.run_end import Targets, render
from tests.unit.reports.small_results import write

SAMPLES = Path(__file__).with_name("run_ends")
STORED = SAMPLES / "stored.jsonl"
"""110 cases of a run on CPU: of two operations that conform, and known departures of others."""
WIDTHS = (80, 120, 200)
MOST_LINES, MORE_LINES = 40, 15
"""Lines of a green end, and of each unexpected group."""

Edit = Callable[[CaseRecord], CaseRecord]


@dataclass
class Fault:
    """What a device does wrong in the cases whose id has all of some texts."""

    texts: tuple[str, ...]
    outcome: Outcome
    facts: Facts
    detail: str
    worst: WorstElement | None = None

    def __call__(self, record: CaseRecord) -> CaseRecord:
        if not all(text in record.case for text in self.texts):
            return record
        return replace(
            record, outcome=self.outcome, facts=self.facts, detail=self.detail, worst=self.worst,
            wrong=12 if self.worst else None,
        )  # fmt: skip


def refused(stage: Any, message: str) -> tuple[Outcome, Facts, str]:
    return (
        Outcome.REFUSED,
        Facts(stage=stage, kind="message", message=message),
        f"at {stage}: {message}",
    )


WRONG = (
    Outcome.FAIL,
    Facts(kind="value", output=0),
    "output: [0,2,1,0] is 12.124403953552246, should be -0.0882937229341931 within -0.08833040271094582 to "
    "-0.08825704315744039; 12 of 240 wrong",
    WorstElement(
        output=0,
        index=[0, 2, 1, 0],
        expected="-0.0882937229341931",
        actual="12.124403953552246",
        low="-0.08833040271094582",
        high="-0.08825704315744039",
    ),
)
ONE = (Fault(("SpaceToDepth-1/type/f16[",), *WRONG),)
SIX = (
    *ONE,
    Fault(("Abs-1", "shape=dims"), *refused("compile", "[CPU] Abs node has 16 unknown dimensions")),
    Fault(
        ("Abs-1/dim-0",),
        Outcome.CRASH,
        Facts(stage="infer", kind="signal", signal="SIGSEGV"),
        "killed by signal 11 (SIGSEGV) in infer",
    ),
    Fault(
        ("SpaceToDepth-1/rank/f32[3,5,4,6,",),
        Outcome.TIMEOUT,
        Facts(stage="compile", kind="timeout"),
        "no answer within 10.0 s in compile",
    ),
    Fault(("Abs-1/type/u",), *WRONG),
    Fault(
        ("Abs-1/rank/f32[2,3]",),
        Outcome.ERROR,
        Facts(),
        "the suite fails: ValueError: rank 3 is not handled",
    ),
)


class Sample:
    """A run of the stored cases, with faults, against the stored run."""

    def __init__(
        self,
        folder: Path,
        edits: Iterable[Edit] = (),
        *,
        header: Mapping[str, Any] | None = None,
        target: Mapping[str, Any] | None = None,
        has_baseline: bool = True,
        keeps: Callable[[CaseRecord], bool] = lambda record: True,
    ) -> None:
        stored = load(STORED)
        causes = Causes(Cause(r.cause, r.reason, r.cause_class) for r in stored.records if r.cause)
        run: Header = replace(stored.runs[0], **(header or {}))
        own = replace(run.targets[0], **(target or {}))
        key = own.device, own.profile
        records = [replace(r, device=key[0], profile=key[1]) for r in stored.records if keeps(r)]
        for edit in edits:
            records = [edit(record) for record in records]
        given = {f"{key[0]} ({key[1]})": baseline_files.Baseline(name="none", is_given=True)}
        if has_baseline:
            given = baseline_files.read(STORED)
        bare = replace(run, targets=[own])
        targets = decision.targets_of(bare, causes, given)
        named = replace(
            own, baseline=decision.remark(targets[key]).replace(str(STORED), "CPU 2026.4")
        )
        decided = explained([targets[key].decide(record) for record in records])
        run = replace(run, targets=[named], cases=len(decided))
        path = write(folder / "CPU.jsonl", run, *decided)
        self.results: Results = load(path)
        self.targets: Targets = targets

    def text(self, width: int) -> str:
        """The end of the run, without the folder of this test."""
        return render(self.results, self.targets, width) + "\n"


def compiled(record: CaseRecord) -> CaseRecord:
    """What the NPU's compiler alone says of a case that conforms."""
    return replace(record, outcome=Outcome.COMPILED, fraction=None) if record.conforms else record


SHARD = {"selection": replace(load(STORED).runs[0].selection, shard="2/2")}  # type: ignore[type-var]
SAMPLE_OPTIONS: dict[str, dict[str, Any]] = {
    "green": {},
    "one-fault": {"edits": ONE},
    "six-faults": {"edits": SIX},
    "new-release": {"edits": SIX[:3], "header": {"openvino": "2026.5.0-23000-abc"}},
    "npu": {
        "edits": (compiled, *SIX[1:3]),
        "target": {"device": "NPU", "profile": "npu=NPU4000", "compile_only": True},
        "has_baseline": False,
        "keeps": lambda record: record.gate is Gate.PASS,
    },
    "shard": {"edits": ONE, "header": SHARD, "keeps": lambda record: "e" in record.case},
}


def sample(name: str, width: int) -> str:
    with TemporaryDirectory() as folder:
        return Sample(Path(folder), **SAMPLE_OPTIONS[name]).text(width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SAMPLE_OPTIONS)
def test_the_end_is_as_its_sample(name: str, width: int) -> None:
    assert sample(name, width) == (SAMPLES / f"{name}.{width}.txt").read_text("utf-8")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SAMPLE_OPTIONS)
def test_it_is_short_and_its_lines_fit(name: str, width: int) -> None:
    lines = sample(name, width).splitlines()
    groups = sum(line[:1].isalpha() and " · " in line and "-" in line.split()[0] for line in lines)
    assert (groups > 0) == (name != "green")
    assert len(lines) <= MOST_LINES + MORE_LINES * groups
    commands = ("    python ", "    pytest ")
    assert [line for line in lines if len(line) > width and not line.startswith(commands)] == []


def test_a_run_of_an_older_release_than_the_baseline_says_so(tmp_path: Path) -> None:
    text = Sample(tmp_path, ONE, header={"openvino": "2025.4.0-1-abc"}).text(200)
    assert "2025.4 in this run: a case that passed in that newer release and fails here is" in text
    assert " · passed in the newer release of the baseline\n" in text


def test_of_a_compiler_alone_no_case_passed_in_the_baseline(tmp_path: Path) -> None:
    text = Sample(tmp_path, ONE, target={"compile_only": True}).text(200)
    assert " · compiled in the baseline\n" in text


def test_many_groups_have_a_line_each(tmp_path: Path) -> None:
    """Each case is refused with words of its own."""

    def edit(record: CaseRecord) -> CaseRecord:
        words = " ".join(f"{word}{abs(hash(record.case)) % 10**6}" for word in "abcdefg")
        outcome, facts, detail = refused("compile", words)
        return replace(record, outcome=outcome, facts=facts, detail=detail)

    text = Sample(tmp_path, [edit], keeps=lambda record: record.operation == "Abs-1").text(80)
    assert "broken-" in text
    assert len(text.splitlines()) <= MOST_LINES + MORE_LINES * 10 + 45
    (number,) = (line.split()[0] for line in text.splitlines() if line.endswith("more groups:"))
    assert int(number) == sum(line[:8].strip().isdigit() for line in text.splitlines()) > 20


def test_parts_that_were_added_are_no_departures_of_their_own(tmp_path: Path) -> None:
    fault = Fault(("SpaceToDepth-1/type/f16[",), *WRONG)
    made = Sample(tmp_path, [fault], has_baseline=False, keeps=lambda r: r.gate is Gate.PASS)
    crossings = [r for r in made.results.records if fault.texts[0] in r.case and r.how]
    (alone,) = (r for r in made.results.records if fault.texts[0] in r.case and not r.how)
    total = len(made.results.records)
    other = next(r.case for r in made.results.records if r.outcome is Outcome.PASS)
    assert {r.gate for r in crossings} <= {Gate.EXPLAINED}
    assert alone.gate is Gate.NEW
    assert f"1 unexpected departure (1 new) in {total} cases" in made.text(200)
    made.results.records = [
        replace(r, added=r.case in {alone.case, other}) for r in made.results.records
    ]
    text = made.text(200)
    number = len(crossings)
    assert f"FAILED: {number} unexpected departure" in text
    assert f"({number} new) in {total - 2} cases" in text
    assert (
        f"\n{total - 2} cases: {total - 2 - number} passed · {number} unexpected\n2 more cases were run, to"
        in text
    )
    assert f"· {number} case" in text
    assert f"    {alone.case}\n" in text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("is 12.124403953552246, should", "is 12.1244, should"),
        ("within -0.08833040271094582 to 1.4012984643e-45;", "within -0.0883304 to 1.4013e-45;"),
        ("is 0.03068372607, should be 0.03068372421;", "is 0.03068373, should be 0.03068372;"),
        ("2147483647 for -2147483648", "2147483647 for -2147483648"),
        ("1.5 of 0.25, 10.0 s", "1.5 of 0.25, 10.0 s"),
        ("OpenVINO 2026.4.1234567", "OpenVINO 2026.4.1234567"),
    ],
)
def test_numbers_have_six_digits_or_as_many_as_tell_them_apart(text: str, short: str) -> None:
    assert rounded(text) == short


if __name__ == "__main__":
    for each in SAMPLE_OPTIONS:
        for columns in WIDTHS:
            file = SAMPLES / f"{each}.{columns}.txt"
            file.write_text(sample(each, columns), "utf-8")
            print(file, file=sys.stderr)
