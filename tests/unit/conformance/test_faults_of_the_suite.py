"""Faults of the suite itself and of the machine that it runs on: they cost no other case its verdict."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conformance.running import (
    ROOT,
    SMALL,
    Run,
    command,
    finish,
    lines,
    outcomes,
    records,
    run,
    small_cases,
    start,
    suite,
    survivors,
    wait_until,
)
from tests.unit.conformance.test_runs import CULPRIT, faulty

WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two-workers"])
# Cases of both share a pack.
BOTH = ("--operation", "SpaceToDepth-1", "--operation", "DepthToSpace-1", "--purpose", "rank")


def started(folder: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(folder, *options),
        cwd=ROOT,
        env={**survivors.environment(folder), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def sabotaged(folder: Path, *options: str, **environment: str) -> Run:
    plugin = ("-p", "tests.unit.conformance.sabotage")
    return finish(started(folder, *plugin, *options, **environment))


# --- exceptions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["KeyError", "MemoryError", "RecursionError", "AssertionError"])
@pytest.mark.parametrize("judging", ["", "1"], ids=["reference", "judging"])
def test_an_exception_is_an_error_of_its_case_alone(
    tmp_path: Path, error: str, judging: str
) -> None:
    environment = {"RAISE": error, "IN": "DepthToSpace-1", "JUDGING": judging}
    came = sabotaged(tmp_path, *BOTH, **environment)
    assert came.code == 1, came.text
    found = {record["case"]: record for record in records(tmp_path)}
    for case, record in found.items():
        is_culprit = case.startswith("DepthToSpace-1/")
        assert record["outcome"] == ("ERROR" if is_culprit else "PASS"), case
        assert ("Traceback" in record["traceback"]) is is_culprit
        if is_culprit:
            assert f"{error}: " in record["detail"]
            assert "sabotage.py" in record["traceback"]
    assert {case.partition("/")[0] for case in found} == {"SpaceToDepth-1", "DepthToSpace-1"}
    path = str(tmp_path / "results.jsonl")
    assert run(tmp_path, "-m", "reports", "summary", path).code == 1


def test_a_run_without_a_verdict_offers_nothing_to_accept(tmp_path: Path) -> None:
    came = sabotaged(tmp_path, *BOTH, RAISE="KeyError", IN="DepthToSpace-1")
    assert came.code == 1, came.text
    assert "without a verdict" in came.out
    assert "reports accept" not in came.out


MISTAKEN = """\
from ir_models.corpus import purposes

def _cases(*_):
    raise ValueError("SpaceToDepth-1: block_size must be 1, got 2")
    yield

purposes._cases = _cases
"""


@WORKERS
def test_a_run_that_a_mistake_in_a_declaration_ends_has_not_passed(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    (tmp_path / "mistaken.py").write_text(MISTAKEN)
    options = ("-p", "mistaken", *SMALL, *workers)
    came = finish(started(tmp_path, *options, PYTHONPATH=str(tmp_path)))
    assert came.code == 2, came.text
    assert "block_size must be 1, got 2" in came.text
    assert "PASSED" not in came.text


def test_an_error_is_not_finished(tmp_path: Path) -> None:
    sabotaged(tmp_path, *BOTH, RAISE="KeyError", IN="DepthToSpace-1")
    before = outcomes(tmp_path)
    errors = [case for case, outcome in before.items() if outcome == "ERROR"]
    assert 0 < len(errors) < len(before)
    came = suite(tmp_path, *BOTH, "--resume")
    assert came.code == 0, came.text
    assert f"collected {len(errors)} items" in came.out
    latest = {record["case"]: record["outcome"] for record in records(tmp_path)}
    assert latest == dict.fromkeys(before, "PASS")


# --- no room ----------------------------------------------------------------------------------------------------------


@WORKERS
def test_a_folder_that_cannot_be_written_costs_no_verdict(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    folders = tmp_path / "results.failures"
    folders.mkdir()
    (folders / "PYTHON_tests_unit_devices_faulty").write_text("a file where a folder should be")
    came = suite(tmp_path, *SMALL, *workers, *faulty("wrong_element"))
    assert came.code == 1, came.text
    assert outcomes(tmp_path) == {**dict.fromkeys(small_cases(), "PASS"), CULPRIT: "FAIL"}
    (record,) = [record for record in records(tmp_path) if record["case"] == CULPRIT]
    assert record["folder"] == ""
    assert "failure folders that could not be written: 1, first " in came.out


def limited(folder: Path, size: int, *options: str) -> subprocess.Popen[str]:
    """A run that may write no file of more than ``size`` bytes, as if the disk were full."""
    return start(
        folder,
        *options,
        prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )


@WORKERS
def test_a_full_disk_ends_the_run_and_loses_nothing(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    came = finish(limited(tmp_path, 4096, *SMALL, "--pack-size", "1", *workers))
    assert came.code == 2, came.text
    assert_one_line(came, "cannot be written: ")
    assert not survivors.of(tmp_path)
    # Each line is whole, and the rest runs once there is room.
    assert (tmp_path / "results.jsonl").read_bytes().endswith(b"\n")
    before = outcomes(tmp_path)
    assert 0 < len(before) < len(small_cases())
    came = suite(tmp_path, *SMALL, "--resume")
    assert came.code == 0, came.text
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")
    assert [line["kind"] for line in lines(tmp_path)].count("run") == 2


@WORKERS
@pytest.mark.parametrize("is_moved", [False, True], ids=["removed", "moved"])
def test_a_results_folder_that_goes_away(
    tmp_path: Path, workers: tuple[str, ...], is_moved: bool
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    options = ("--results", str(folder / "results.jsonl"), "--profile", "DELAY=0.3")
    process = started(tmp_path, *SMALL, "--pack-size", "1", "--audit", "0", *workers, *options)
    path = folder / "results.jsonl"
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") > 3)
    if is_moved:
        folder.rename(tmp_path / "moved")
    else:
        shutil.rmtree(folder)
    came = finish(process)
    assert came.code == 2, came.text
    assert_one_line(came, f"was {'moved' if is_moved else 'removed'} during the run")
    kept = tmp_path / "moved" if is_moved else folder
    assert len(outcomes(kept)) >= 3
    assert set(outcomes(kept).values()) == {"PASS"}
    assert not survivors.of(tmp_path)


def assert_one_line(came: Run, told: str) -> None:
    errors = [line for line in came.err.splitlines() if line.strip()]
    assert len(errors) == 1, came.text
    assert errors[0].startswith("error: ")
    assert told in errors[0]
    assert "Traceback" not in came.text
    assert "INTERNALERROR" not in came.text


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Any:
    yield
    for process in survivors.of(tmp_path):
        os.kill(process, signal.SIGKILL)
