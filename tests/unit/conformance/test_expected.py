"""The gate of a run with expectations: in a copy of the project, with one operation and expectations of its own."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.unit.conformance.running import FAULTY, ROOT, Run, run

FAULTY_FILE = "tests/unit/devices/faulty.py"
OPERATION = "gather_tree.py"
CASE = "GatherTree-1/plain/"
ENTRY = """
[[expect]]
case = "{case}"
outcome = "FAIL"
reason = "the last beam is wrong"
"""
BROKEN = ("--profile", "FAULT=wrong_element")
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
        "case_folder",
        "tests/conformance",
    ):
        shutil.copytree(ROOT / room, copy / room, ignore=left_out)
    for file in ("conftest.py", "pyproject.toml", "tests/__init__.py", FAULTY_FILE):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, copy / file)
    settings = copy / "pyproject.toml"
    whole = settings.read_text()
    fewer = re.sub(r'(?<=conformance_minimum = ")\d+', "11", whole)
    assert fewer != whole
    settings.write_text(fewer)
    (copy / "reports" / "expectations").mkdir(exist_ok=True)
    return copy


def suite(project: Path, folder: Path, expectations: str, *options: str) -> Run:
    file = project / "reports" / "expectations" / "PYTHON_tests_unit_devices_faulty.toml"
    file.write_text(expectations)
    results = ("--results", str(folder / "results.jsonl"), "-p", "no:hypothesispytest")
    address = ("-m", "pytest", "tests/conformance", "--device", FAULTY)
    return run(folder, *address, *results, *options, root=project)


def gates(folder: Path) -> dict[str, str]:
    lines = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
    return {line["case"].split("/")[1]: line["gate"] for line in lines if line["kind"] == "case"}


def test_an_expected_departure_is_not_red(project: Path, tmp_path: Path) -> None:
    came = suite(project, tmp_path, ENTRY.format(case="GatherTree-1/*"), *PLAIN, *BROKEN)
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "expected", "example": "expected"}
    count = len((tmp_path / "results.jsonl").read_text().splitlines()) - 1
    assert re.search(rf"\b{count} xfailed in", came.out), came.out


def test_an_expectation_of_other_cases_excuses_nothing(project: Path, tmp_path: Path) -> None:
    came = suite(project, tmp_path, ENTRY.format(case=CASE + "*"), *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert gates(tmp_path) == {"plain": "expected", "example": "departure"}


@pytest.mark.parametrize("strict, code", [((), 0), (("--strict",), 1)])
def test_an_improvement_is_red_only_if_strict(
    project: Path, tmp_path: Path, strict: tuple[str, ...], code: int
) -> None:
    came = suite(project, tmp_path, ENTRY.format(case=CASE + "*"), *PLAIN, *strict)
    assert came.code == code, came.text
    assert gates(tmp_path) == {"plain": "improved", "example": "pass"}


def test_an_expectation_that_matches_nothing(project: Path, tmp_path: Path) -> None:
    nothing = ENTRY.format(case="GatherTree-1/plane/*")
    came = suite(project, tmp_path, nothing)
    assert came.code == 2, came.text
    (told,) = came.err.strip().splitlines()
    assert told.startswith(f"error: {FAULTY}: an expectation matches no case: ")
    assert "PYTHON_tests_unit_devices_faulty.toml: entry 1 (GatherTree-1/plane/*)" in told
    assert set(gates(tmp_path).values()) == {"pass"}
    assert len(gates(tmp_path)) > 10
    # A selection cannot know: its cases are not all.
    came = suite(project, tmp_path, nothing, *PLAIN)
    assert came.code == 0, came.text


def test_a_run_of_everything_that_has_lost_cases(project: Path, tmp_path: Path) -> None:
    more = ("-o", "conformance_minimum=100000")
    came = suite(project, tmp_path, "", *more)
    assert came.code == 2, came.text
    count = len((tmp_path / "results.jsonl").read_text().splitlines()) - 1
    told = f"error: {FAULTY}: {count} cases in all, fewer than the 100000 of conformance_minimum"
    assert came.err.strip().startswith(told), came.text
    # A selection has fewer cases by its nature.
    assert suite(project, tmp_path, "", *more, *PLAIN).code == 0
    assert suite(project, tmp_path, "").err == ""
    came = suite(project, tmp_path, "", "-o", "conformance_minimum=many")
    assert came.code == 2, came.text
    assert "conformance_minimum takes a whole number from 0 on, got 'many'" in came.err


def test_expectations_that_cannot_be_read(project: Path, tmp_path: Path) -> None:
    came = suite(project, tmp_path, '[[expect]]\ncase = "GatherTree-1/*"\n', *PLAIN)
    assert came.code == 2, came.text
    (told,) = came.err.strip().splitlines()
    assert "PYTHON_tests_unit_devices_faulty.toml: entry 1" in told
    assert not (tmp_path / "results.jsonl").exists()


def test_departures_have_folders_however_many_others_there_are(
    project: Path, tmp_path: Path
) -> None:
    records = project / "tests" / "conformance" / "records.py"
    whole = records.read_text()
    few = whole.replace(
        "Gate.DEPARTURE: 200, Gate.EXPECTED: 200", "Gate.DEPARTURE: 9, Gate.EXPECTED: 4"
    )
    assert few != whole
    records.write_text(few)
    types = ENTRY.format(case="GatherTree-1/type/*")
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
    departures = sum(line["gate"] == "departure" for line in found)
    assert len(found) - departures > 4
    assert folders == {"expected": 4, "departure": min(departures, 9)}
