"""The gate of a run with expectations: in a copy of the project, with one operation and expectations of its own."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.unit.conformance.running import FAULTY, ROOT, Run, run

FAULTY_FILE = "tests/unit/devices/faulty.py"
OPERATION = "gather_tree.py"
FILE = "PYTHON_tests_unit_devices_faulty.toml"
ENTRY = """
[[expect]]
id = "last-beam"
title = "the last beam is wrong"
class = "defect"
since = "2024.0"
covers = [{{ {selector}, outcome = "FAIL" }}]
"""
EVERY_CASE = ENTRY.format(selector='operation = "GatherTree-1"')
PLAIN_CASES = ENTRY.format(selector='operation = "GatherTree-1", purpose = "plain"')
BROKEN = ("--profile", "FAULT=wrong_element")
SMALL = ("--purpose", "tiny", "--purpose", "plain")
PLAIN = ("--purpose", "plain", "--purpose", "example")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one operation and no expectations."""
    copy = tmp_path_factory.mktemp("project")

    def left_out(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(ROOT).parts
        if inside[:2] == ("ir_models", "operations") and len(inside) == 3:
            return [name for name in names if name not in ("__init__.py", OPERATION)]
        return names if inside == ("reports", "expectations") else []

    for room in (
        "ir_models",
        "reference",
        "devices",
        "reports",
        "tests/conformance",
    ):
        shutil.copytree(ROOT / room, copy / room, ignore=left_out)
    for file in ("conftest.py", "pyproject.toml", "tests/__init__.py", FAULTY_FILE):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, copy / file)
    settings = copy / "pyproject.toml"
    whole = settings.read_text()
    fewer = re.sub(r'(?<=conformance_minimum = ").*(?=")', "single=11, pairs=11", whole)
    assert fewer != whole
    settings.write_text(fewer)
    (copy / "reports" / "expectations").mkdir(exist_ok=True)
    return copy


def suite(project: Path, folder: Path, expectations: str, *options: str, known: str = "") -> Run:
    file = project / "reports" / "expectations" / FILE
    file.write_text(expectations)
    file.with_suffix(".known.tsv").write_text(known)
    results = ("--results", str(folder / "results.jsonl"), "-p", "no:hypothesispytest")
    address = ("-m", "pytest", "tests/conformance", "--device", FAULTY, "--depth", "single")
    return run(folder, *address, *results, *options, root=project)


def records(folder: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
    return [line for line in lines if line["kind"] == "case"]


def gates(folder: Path) -> dict[str, str]:
    lines = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
    return {line["case"].split("/")[1]: line["gate"] for line in lines if line["kind"] == "case"}


def test_an_expected_departure_is_not_red(project: Path, tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    came = suite(project, tmp_path, EVERY_CASE, *PLAIN, *BROKEN, "--junitxml", str(junit))
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "expected", "example": "expected"}
    found = records(tmp_path)
    facts = {
        tuple(one[key] for key in ("cause", "cause_class", "reason", "since")) for one in found
    }
    assert facts == {("last-beam", "defect", "the last beam is wrong", "2024.0")}
    assert re.search(rf"\b{len(found)} xfailed in", came.out), came.out
    counted = f"1 known defect ({len(found)} cases)"
    headline = f"0 unexpected departures in {len(found)} cases on "
    assert re.search(rf"^{headline}.* · {re.escape(counted)}$", came.out, re.MULTILINE), came.out
    # JUnit tells root causes before cases.
    (first, *_) = etree.parse(str(junit)).getroot()[0]
    told = {one.get("name"): one.get("value") for one in first}
    assert told["summary"].startswith(headline)
    assert told["root causes: known defect"] == "1"
    assert told["cases: known defect"] == str(len(found))


def test_a_resumed_run_judges_what_it_has_by_the_expectations_of_now(
    project: Path, tmp_path: Path
) -> None:
    came = suite(project, tmp_path, PLAIN_CASES, *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert gates(tmp_path) == {"plain": "expected", "example": "departure"}
    asked = len(records(tmp_path))
    came = suite(project, tmp_path, EVERY_CASE, *PLAIN, *BROKEN, "--resume")
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "expected", "example": "expected"}
    # What is judged as before is not written again.
    examples = sum(one["purpose"] == "example" for one in records(tmp_path)) // 2
    assert len(records(tmp_path)) == asked + examples
    came = suite(project, tmp_path, "", *PLAIN, *BROKEN, "--resume")
    assert came.code == 1, came.text
    assert set(gates(tmp_path).values()) <= {"departure", "explained"}
    assert {one["cause"] for one in records(tmp_path) if one["gate"] == "new"} == {""}


def test_a_known_failure_that_is_worse_departs(project: Path, tmp_path: Path) -> None:
    # One element of few is wrong: a larger share than nothing, and not by chance.
    suite(project, tmp_path, EVERY_CASE, *SMALL, *BROKEN)
    found = records(tmp_path)
    assert {one["outcome"] for one in found} == {"FAIL"}

    def known(factor: float) -> str:
        shares = [(one["case"], factor * one["wrong"] / one["elements"]) for one in found]
        return "".join(f"{case}\t{share}\t\t\n" for case, share in shares)

    came = suite(project, tmp_path, EVERY_CASE, *SMALL, *BROKEN, known=known(1.0))
    assert came.code == 0, came.text
    worse = [one for one in found if one["wrong"] / one["elements"] > 0.05]
    assert worse
    came = suite(project, tmp_path, EVERY_CASE, *SMALL, *BROKEN, known=known(0.0))
    assert came.code == 1, came.text
    departing = [one for one in records(tmp_path) if one["gate"] == "new"]
    assert [one["case"] for one in departing] == [one["case"] for one in worse]
    assert all(one["detail"].startswith("worse than known (0% of") for one in departing)
    assert "worse than known (0% of the elements)" in came.out


def test_failures_of_one_root_cause_are_asked_alone_until_one_is_confirmed(
    project: Path, tmp_path: Path
) -> None:
    # No line says how wrong a case is.
    came = suite(project, tmp_path, EVERY_CASE, *SMALL, *BROKEN, "--audit", "0")
    assert came.code == 0, came.text
    found = records(tmp_path)
    # The tiny and the plain layer share a model.
    assert [one["pack_size"] for one in found[:2]] == [1, 2]
    assert {one["outcome"] for one in found[:2]} == {"FAIL"}
    # What changes from run to run is confirmed for every case.
    unstable = EVERY_CASE.replace("since =", 'unstable = "the order of threads"\nsince =')
    suite(project, tmp_path, unstable, *SMALL, *BROKEN, "--audit", "0")
    assert {one["pack_size"] for one in records(tmp_path) if one["outcome"] == "FAIL"} == {1}


COUNT_VERDICTS = """
import gc, sys
import pytest
from devices import Verdict
class Count:
    def pytest_sessionfinish(self):
        print("verdicts left:", sum(isinstance(each, Verdict) for each in gc.get_objects()))
gc.set_threshold(10**9)
sys.exit(pytest.main(sys.argv[1:], plugins=[Count()]))
"""


@pytest.mark.parametrize("expectations", [EVERY_CASE, ""])
def test_no_departure_keeps_its_verdict(project: Path, tmp_path: Path, expectations: str) -> None:
    # A verdict holds the tensors of its case, and garbage collection is late in a large run.
    (project / "reports" / "expectations" / FILE).write_text(expectations)
    options = ("--device", FAULTY, *PLAIN, *BROKEN, "--depth", "single")
    options += ("--results", str(tmp_path / "results.jsonl"))
    came = run(tmp_path, "-c", COUNT_VERDICTS, "tests/conformance", *options, root=project)
    assert {one["outcome"] for one in records(tmp_path)} == {"FAIL"}, came.text
    assert "verdicts left: 0" in came.out


def test_a_file_of_known_failures_that_is_malformed(project: Path, tmp_path: Path) -> None:
    came = suite(project, tmp_path, EVERY_CASE, *PLAIN, known="GatherTree-1/x\tmany\n")
    assert came.code == 2, came.text
    (told,) = came.err.strip().splitlines()
    assert f"{FILE.replace('.toml', '.known.tsv')}: line 1: expected a case id" in told
    assert not (tmp_path / "results.jsonl").exists()


def test_a_pass_of_an_unstable_root_cause_is_no_improvement(project: Path, tmp_path: Path) -> None:
    unstable = EVERY_CASE.replace("since =", 'unstable = "the order of threads"\nsince =')
    came = suite(project, tmp_path, unstable, *PLAIN, "--strict-gate")
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "pass", "example": "pass"}


def test_an_expectation_of_other_cases_excuses_nothing(project: Path, tmp_path: Path) -> None:
    came = suite(project, tmp_path, PLAIN_CASES, *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert gates(tmp_path) == {"plain": "expected", "example": "departure"}


@pytest.mark.parametrize("strict, code", [((), 0), (("--strict-gate",), 1)])
def test_an_improvement_is_red_only_if_strict(
    project: Path, tmp_path: Path, strict: tuple[str, ...], code: int
) -> None:
    came = suite(project, tmp_path, PLAIN_CASES, *PLAIN, *strict)
    assert came.code == code, came.text
    assert gates(tmp_path) == {"plain": "improved", "example": "pass"}


def test_an_expectation_that_matches_nothing(project: Path, tmp_path: Path) -> None:
    nothing = ENTRY.format(selector='case = "GatherTree-1/plane/*"')
    came = suite(project, tmp_path, nothing)
    assert came.code == 2, came.text
    (told,) = came.err.strip().splitlines()
    assert told.startswith(f"error: {FAULTY}: an expectation matches no case: ")
    assert f"{FILE}: last-beam: GatherTree-1/plane/*" in told
    assert set(gates(tmp_path).values()) == {"pass"}
    assert len(gates(tmp_path)) > 10
    # A selection cannot know: its cases are not all.
    came = suite(project, tmp_path, nothing, *PLAIN)
    assert came.code == 0, came.text


def test_a_run_of_everything_that_has_lost_cases(project: Path, tmp_path: Path) -> None:
    more = ("-o", "conformance_minimum=single=100000,pairs=11")
    came = suite(project, tmp_path, "", *more)
    assert came.code == 2, came.text
    count = len((tmp_path / "results.jsonl").read_text().splitlines()) - 1
    told = f"error: {FAULTY}: {count} cases in all, fewer than the 100000 of conformance_minimum"
    assert came.err.strip().startswith(told), came.text
    # A selection has fewer cases by its nature.
    assert suite(project, tmp_path, "", *more, *PLAIN).code == 0
    assert suite(project, tmp_path, "").err == ""


@pytest.mark.parametrize(
    "given, told",
    [
        ("many", "takes DEPTH=NUMBER, ..., with a depth of single, pairs, all, got 'many'"),
        ("none=5", "takes DEPTH=NUMBER, ..., with a depth of single, pairs, all, got 'none=5'"),
        ("single=5, pairs=many", "takes a whole number from 0 on, got 'many'"),
    ],
)
def test_a_minimum_that_cannot_be_read(
    project: Path, tmp_path: Path, given: str, told: str
) -> None:
    came = suite(project, tmp_path, "", "-o", f"conformance_minimum={given}")
    assert came.code == 2, came.text
    assert f"conformance_minimum {told}" in came.err


def test_expectations_that_cannot_be_read(project: Path, tmp_path: Path) -> None:
    came = suite(project, tmp_path, '[[expect]]\ncase = "GatherTree-1/*"\n', *PLAIN)
    assert came.code == 2, came.text
    (told,) = came.err.strip().splitlines()
    assert f"{FILE}: entry 1" in told
    assert not (tmp_path / "results.jsonl").exists()


def test_departures_have_folders_however_many_others_there_are(
    project: Path, tmp_path: Path
) -> None:
    records = project / "tests" / "conformance" / "records.py"
    whole = records.read_text()
    few = whole.replace("Gate.KNOWN: 1000", "Gate.KNOWN: 0").replace(
        "Gate.KNOWN: 200", "Gate.KNOWN: 0"
    )
    assert few.count("Gate.KNOWN: 0") == 2
    records.write_text(few)
    types = ENTRY.format(selector='operation = "GatherTree-1", purpose = "type"')
    options = ("--purpose", "type", "--purpose", "rank", "--purpose", "dim-1")
    came = suite(project, tmp_path, types, *options, *BROKEN)
    records.write_text(whole)
    assert came.code == 1, came.text
    lines = map(json.loads, (tmp_path / "results.jsonl").read_text().splitlines())
    found = [line for line in lines if line["kind"] == "case" and line["gate"] != "pass"]
    folders = {
        gate: sum(bool(line["folder"]) for line in found if line["gate"] == gate)
        for gate in ("expected", "departure")
    }
    departures = sum(line["gate"] == "new" for line in found)
    # No limit is less than 4. All expected ones have one root cause and operation.
    assert len(found) - departures > 4
    assert folders["expected"] == 1 + (len(found) - departures >= 4) + (
        len(found) - departures >= 16
    )
    assert folders["departure"] > 0
