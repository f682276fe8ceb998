"""A run with a defect planted for each outcome: results, summary, JUnit, page, exports and exit code tell the same."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import ir_models
from ir_models.asking.id_parts import split_id
from reports.results.outcomes import Outcome
from tests.unit.conformance.running import FAULTY, Run, run

OPERATIONS = ("SpaceToDepth-1", "Sqrt-1")
PURPOSES = ("rank", "variant.depth-first", "invalid")
# A profile is a fault. Each strikes some of the cases; the others pass.
FAULTS = {
    Outcome.PASS: "",
    Outcome.QUALITY: "FAULT=coarse,MATCH=Sqrt-1",
    Outcome.FAIL: "FAULT=wrong_element,MATCH=2x5x6",
    Outcome.REFUSED: "FAULT=refuse,MATCH=2x5x6",
    Outcome.ACCEPTED_INVALID: "FAULT=accept_invalid,MATCH=3x5x4x7",
    Outcome.CRASH: "FAULT=segfault,MATCH=2x5x6",
    Outcome.TIMEOUT: "FAULT=hang,MATCH=2x5x6",
    Outcome.FOLDED: "FAULT=folded,MATCH=2x5x6",
    Outcome.FLAKE: "FAULT=wrong_when_odd,MATCH=2x5x6",
    Outcome.ABSENT: "FAULT=absent",
    Outcome.ERROR: "FAULT=unreadable,MATCH=2x5x6",
}
GATES = {
    Outcome.PASS: "pass",
    Outcome.QUALITY: "quality",
    Outcome.ABSENT: "skipped",
    Outcome.ERROR: "no verdict",
}


class Story:
    """What a run left behind."""

    def __init__(self, folder: Path) -> None:
        self.results, self.junit = folder / "results.jsonl", folder / "junit.xml"
        options = [f"--operation={name}" for name in OPERATIONS]
        options += [f"--purpose={purpose}" for purpose in PURPOSES]
        options += [f"--profile={fault or 'performance'}" for fault in FAULTS.values()]
        self.came: Run = run(
            folder,
            *("-m", "pytest", "tests/conformance"),
            *("--device", FAULTY, "--case-timeout", "1", "--depth", "single"),
            *("--allow-absent", *options),
            *("--results", str(self.results), "--junitxml", str(self.junit)),
        )
        lines = map(json.loads, self.results.read_text().splitlines())
        self.records = [line for line in lines if line["kind"] == "case"]

    def outcomes(self) -> Counter[str]:
        return Counter(record["outcome"] for record in self.records)

    def departing(self) -> set[tuple[str, str]]:
        """The cases that fail the run, also those without a verdict."""
        red = ("new", "no verdict")
        return {(r["profile"], r["case"]) for r in self.records if r["gate"] in red}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("story"))


def report(story: Story, *command: str, code: int = 0) -> str:
    came = run(story.results.parent, "-m", "reports", *command)
    assert came.code == code, came.text
    return came.out


def test_the_results_have_each_outcome_where_it_was_planted(story: Story) -> None:
    count = sum(
        1
        for operation in ir_models.select(list(OPERATIONS))
        for _ in ir_models.cases(operation, PURPOSES)
    )
    assert len(story.records) == count * len(FAULTS)
    for outcome, fault in FAULTS.items():
        own = [r for r in story.records if r["profile"] == (fault or "performance")]
        struck = {r["outcome"] for r in own}
        assert struck == ({"ABSENT"} if outcome is Outcome.ABSENT else {"PASS", str(outcome)}), (
            fault
        )
        for record in own:
            assert record["gate"] == GATES.get(Outcome(record["outcome"]), "new")


REFUSAL = "Check kernel SpaceToDepth has no kernel on this device"
FACTS: dict[Outcome, dict[str, Any]] = {
    Outcome.FAIL: {"kind": "value", "output": 0},
    Outcome.REFUSED: {"stage": "infer", "kind": "message", "message": REFUSAL},
    Outcome.ACCEPTED_INVALID: {"kind": "accepted", "rule": "block-size-divides-every-spatial"},
    Outcome.CRASH: {"stage": "infer", "kind": "signal", "signal": "SIGSEGV"},
    Outcome.TIMEOUT: {"stage": "infer", "kind": "timeout"},
    Outcome.FLAKE: {"kind": "two answers", "inference": 1},
}


def test_each_departure_has_its_facts(story: Story) -> None:
    for record in story.records:
        facts = FACTS.get(Outcome(record["outcome"]), {})
        # A layer that breaks a rule names it, whatever the device does.
        rule = {"rule": record["facts"].get("rule")} if record["purpose"] == "invalid" else {}
        assert record["facts"] == {**facts, **rule}, record["case"]
        assert bool(record["facts"].get("rule")) is (record["purpose"] == "invalid")


def test_a_record_has_the_parts_of_its_id_as_fields(story: Story) -> None:
    for record in story.records:
        parts = split_id(record["case"])
        assert record["inputs"] == parts.inputs
        assert record["parameters"] == parts.parameters
        assert record["how"] == parts.how


def test_the_exit_code_is_that_of_departures(story: Story) -> None:
    assert story.came.code == 1, story.came.text


def test_the_summary_counts_and_names_them(story: Story) -> None:
    told = re.search(
        r"^FAILED: (\d+) unexpected departures? \(\1 new\) and (\d+) cases? without a verdict in\s(\d+)\scases? on",
        story.came.out,
        re.MULTILINE,
    )
    assert told is not None, story.came.out
    errors, red = story.outcomes()[Outcome.ERROR], len(story.departing())
    assert [*map(int, told.groups())] == [red - errors, errors, len(story.records)]
    groups = re.findall(r"^(?:new|error)-\w+ · (\d+) cases? ", story.came.out, re.MULTILINE)
    rest = re.findall(r"^ +(\d+)  (?:new|error)-\w+ on ", story.came.out, re.MULTILINE)
    assert sum(map(int, groups + rest)) == len(story.departing())
    markdown = report(story, "summary", str(story.results), "--markdown", code=1).replace("\\", "")
    tables = [line.strip("| ").split(" | ") for line in markdown.splitlines() if "|" in line]
    counted: Counter[str] = Counter()
    head: list[str] = []
    for cells in tables:
        if cells[0].strip() == "operation":
            head = [cell.strip() for cell in cells]
        elif cells[0].strip() == "total":
            for name, cell in zip(head, cells, strict=True):
                if name in Outcome.__members__ and cell.strip().isdigit():
                    counted[name] += int(cell)
    assert counted == story.outcomes()


def test_junit_has_a_failure_for_each_departure(story: Story) -> None:
    tree = etree.parse(str(story.junit))
    schema = etree.XMLSchema(etree.parse(str(Path(__file__).with_name("junit.xsd"))))
    schema.assertValid(tree)
    cases = list(tree.iter("testcase"))
    failed = {
        (str(case.get("classname")), str(case.get("name")))
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }
    assert len(cases) == len(story.records)
    assert sorted(name for _, name in failed) == sorted(case for _, case in story.departing())
    suites = list(tree.getroot())
    assert len(suites) == len({record["profile"] for record in story.records})
    told = [
        sum(int(str(suite.get(key))) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    ]
    skipped = story.outcomes()["ABSENT"]
    errors = sum(record["outcome"] == Outcome.ERROR for record in story.records)
    assert told == [len(story.records), len(story.departing()) - errors, errors, skipped]


def test_junit_tells_operations_apart_and_has_the_times_of_the_results(story: Story) -> None:
    cases = list(etree.parse(str(story.junit)).iter("testcase"))
    found = sorted(
        (case.get("classname"), case.get("name"), float(str(case.get("time")))) for case in cases
    )
    assert found == sorted(
        (
            f"{_target_name(record).replace('.', '_')}.{record['operation']}",
            record["case"],
            record["seconds"],
        )
        for record in story.records
    )


def _target_name(record: dict[str, Any]) -> str:
    default = record["profile"] == "accuracy"
    return str(record["device"]) + ("" if default else f"({record['profile']})")


def test_the_results_say_the_same_as_junit(story: Story) -> None:
    exported = report(story, "export", str(story.results), "--format", "junit")
    assert exported == story.junit.read_text()


def test_the_schema_refuses_what_ci_systems_misread(story: Story) -> None:
    schema = etree.XMLSchema(etree.parse(str(Path(__file__).with_name("junit.xsd"))))
    for change in (
        lambda suite: suite.attrib.pop("tests"),
        lambda suite: suite.find("testcase").attrib.pop("classname"),
        lambda suite: suite.find("testcase").set("time", "-1"),
        lambda suite: suite.find("testcase").set("time", "inf"),
        lambda suite: suite.append(etree.fromstring(etree.tostring(suite.find("testcase")))),
        lambda suite: etree.SubElement(suite.find("testcase"), "outcome"),
    ):
        tree = etree.parse(str(story.junit))
        change(tree.getroot()[0])
        assert not schema.validate(tree)


def test_the_page_tells_it(story: Story) -> None:
    page = story.results.with_suffix(".html")
    report(story, "html", str(story.results), "--out", str(page))
    (text,) = re.findall(
        r'<script[^>]*type="application/gzip"[^>]*>(.*?)</script>', page.read_text(), re.DOTALL
    )
    data = json.loads(gzip.decompress(base64.b64decode(text)))
    found = Counter(data["names"]["outcome"][index] for index in data["columns"]["outcome"])
    assert found == story.outcomes()
    case, target = data["columns"]["case"][0], data["commands"][data["columns"]["target"][0]]
    pytest_command, *options = shlex.split(target["command"])
    selected = [*options, target["node"] + case, "--collect-only", "-q"]
    came = run(page.parent, "-m", pytest_command, *selected)
    assert (came.code, case in came.out) == (0, True), came.text


def test_the_exports_tell_it(story: Story) -> None:
    rows = list(
        csv.DictReader(io.StringIO(report(story, "export", str(story.results), "--format", "csv")))
    )
    assert Counter(row["outcome"] for row in rows) == story.outcomes()
    ctrf = json.loads(report(story, "export", str(story.results), "--format", "ctrf"))
    failed = [test["name"] for test in ctrf["results"]["tests"] if test["status"] == "failed"]
    assert len(failed) == len(story.departing())
    assert ctrf["results"]["summary"]["failed"] == len(story.departing())


def test_groups_are_offered_for_each_departure(story: Story, tmp_path: Path) -> None:
    for outcome, fault in FAULTS.items():
        own = [r for r in story.records if r["profile"] == (fault or "performance")]
        departing = [r for r in own if r["gate"] == "new"]
        target = f"{FAULTY} ({fault or 'performance'})"
        options = ("--target", target, "--baseline", str(tmp_path / "none"))
        came = run(tmp_path, "-m", "reports", "accept", str(story.results), *options)
        # What says nothing about the device is not taken.
        assert came.code == bool(departing), f"{outcome}: {came.text}"
        counted = re.findall(r"^ +new-\w+ +(\d+) cases?", came.out, re.MULTILINE)
        assert sum(map(int, counted)) == len(departing), f"{outcome}: {came.text}"
