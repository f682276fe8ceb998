"""Runs that are cut off: nothing that had finished runs again, nothing is lost, no process is left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.conformance.running import (
    FAULTY,
    SMALL,
    Run,
    asked,
    description,
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

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two-workers"])
# Each case a pack of its own: the device is asked about nothing that is not recorded soon.
PACKS = ("--pack-size", "1", "--audit", "0")


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """A test that fails must not leave its run behind."""
    yield
    for process in survivors.of(tmp_path):
        os.kill(process, signal.SIGKILL)


def slow(folder: Path) -> tuple[str, ...]:
    return "--profile", f"LOG={folder / 'log'},DELAY=0.5"


def started_until_some_are_recorded(
    folder: Path, *workers: str, count: int = 3
) -> subprocess.Popen[str]:
    process = start(folder, *SMALL, *PACKS, *workers, *slow(folder))

    def some() -> bool:
        assert process.poll() is None, finish(process).text
        path = folder / "results.jsonl"
        return path.exists() and path.read_bytes().count(b"\n") > count

    wait_until(some)
    assert survivors.of(folder)
    return process


def assert_resumes(folder: Path, *workers: str) -> None:
    """The rest runs, and only the rest; every case has one line."""
    rest = [case for case in small_cases() if case not in outcomes(folder)]
    assert 0 < len(rest) < len(small_cases())
    (folder / "log").unlink()
    came = suite(folder, *SMALL, *PACKS, "--resume", *workers, *slow(folder))
    assert came.code == 0, came.text
    assert sorted(asked(folder / "log")) == sorted(map(description, rest))
    assert outcomes(folder) == dict.fromkeys(small_cases(), "PASS")
    assert [line["kind"] for line in lines(folder)].count("run") == 2


def test_a_worker_that_dies_makes_the_run_red_and_loses_nothing(tmp_path: Path) -> None:
    process = started_until_some_are_recorded(tmp_path, "-n", "2")
    commands = {n: Path(f"/proc/{n}/cmdline").read_bytes() for n in survivors.of(tmp_path)}
    workers = [n for n, command in commands.items() if b"sys.stdin.readline" in command]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    came = finish(process)
    assert came.code == 1, came.text
    told = r"^error outside of cases: worker 'gw\d' crashed while running '.*::SpaceToDepth-1/"
    assert re.search(told, came.out, re.MULTILINE), came.text
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")


@pytest.mark.parametrize("size", ["1", "4", "100"])
def test_a_worker_that_dies_behind_a_report_has_no_case_run_twice(
    tmp_path: Path, size: str
) -> None:
    dying = ("-p", "tests.unit.conformance.dying")
    came = suite(tmp_path, *SMALL, *dying, "-n", "2", "--pack-size", size)
    assert came.code == 1, came.text
    assert re.search(r"error outside of cases: worker 'gw\d' crashed while running", came.out)
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")


@WORKERS
def test_killed_in_the_middle(tmp_path: Path, workers: tuple[str, ...]) -> None:
    process = started_until_some_are_recorded(tmp_path, *workers)
    os.killpg(process.pid, signal.SIGKILL)
    assert finish(process).code == -signal.SIGKILL
    wait_until(lambda: not survivors.of(tmp_path))
    assert_resumes(tmp_path, *workers)


def test_killed_alone_its_workers_and_their_children_end_by_themselves(tmp_path: Path) -> None:
    process = started_until_some_are_recorded(tmp_path, "-n", "2")
    process.kill()
    finish(process)
    wait_until(lambda: not survivors.of(tmp_path))


def test_killed_in_the_middle_of_a_line(tmp_path: Path) -> None:
    process = started_until_some_are_recorded(tmp_path)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    path = tmp_path / "results.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines()[-1][:100])
    done = set(outcomes(tmp_path))
    came = suite(tmp_path, *SMALL, "--resume", *slow(tmp_path))
    assert came.code == 0, came.text
    assert f"collected {len(small_cases()) - len(done)} items" in came.out
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")


def test_killed_while_the_device_hangs(tmp_path: Path) -> None:
    hang = f"FAULT=hang,LOG={tmp_path / 'log'}"
    process = start(tmp_path, *SMALL, "--case-timeout", "1000", "--profile", hang)
    wait_until(lambda: asked(tmp_path / "log"))
    process.kill()
    finish(process)
    wait_until(lambda: not survivors.of(tmp_path))


@WORKERS
def test_ctrl_c_leaves_whole_results(tmp_path: Path, workers: tuple[str, ...]) -> None:
    process = started_until_some_are_recorded(tmp_path, *workers)
    # As a terminal does: to the whole foreground group. Children have a session of their own.
    os.killpg(process.pid, signal.SIGINT)
    came = finish(process)
    assert came.code == 2, came.text
    assert "INTERNALERROR" not in came.text
    assert not survivors.of(tmp_path)
    assert "INCOMPLETE: 0 unexpected departures in" in came.out
    assert "PASSED" not in came.out
    path = str(tmp_path / "results.jsonl")
    # What was cut off is told, and is no success.
    assert run(tmp_path, "-m", "reports", "summary", path).code == 1
    assert run(tmp_path, "-m", "reports", "summary", path, "--partial").code == 0
    assert f"results: {path}" in came.out
    assert "The same command with --resume runs the cases that are left." in came.out
    if not workers:
        assert_resumes(tmp_path)


def test_ctrl_c_does_not_wait_for_a_device_that_hangs(tmp_path: Path) -> None:
    hang = f"FAULT=hang,LOG={tmp_path / 'log'}"
    process = start(tmp_path, *SMALL, "--case-timeout", "1000", "--profile", hang)
    wait_until(lambda: asked(tmp_path / "log"))
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=8)
    assert process.returncode == 2, Run(process.returncode, out, err).text
    assert not survivors.of(tmp_path)


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    assert suite(tmp_path, *SMALL, *slow(tmp_path)).code == 0
    before = records(tmp_path)
    (tmp_path / "log").unlink()
    came = suite(tmp_path, *SMALL, "--resume", *slow(tmp_path))
    assert came.code == 0, came.text
    assert records(tmp_path) == before
    assert not asked(tmp_path / "log")


def test_a_new_run_keeps_the_results_of_the_one_before(tmp_path: Path) -> None:
    assert suite(tmp_path, *SMALL).code == 0
    before = (tmp_path / "results.jsonl").read_bytes()
    assert suite(tmp_path, *SMALL, "--device", FAULTY).code == 0
    assert (tmp_path / "results.previous.jsonl").read_bytes() == before


@WORKERS
def test_a_second_run_on_the_same_results_is_refused(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    # It lasts longer than the two runs that are refused.
    first = start(tmp_path, *SMALL, *PACKS, *workers, "--profile", "DELAY=2")
    path = tmp_path / "results.jsonl"
    wait_until(lambda: path.exists() and path.read_bytes().endswith(b"\n"))
    for options in ((), ("--resume",)):
        second = suite(tmp_path, *SMALL, *options)
        assert second.code == 2, second.text
        assert f"results.jsonl: process {first.pid} on " in second.err
        assert "writes it: wait for it, or give another file" in second.err
    came = finish(first)
    assert came.code == 0, came.text
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")
    assert not (tmp_path / "results.previous.jsonl").exists()


def test_a_run_that_is_cut_off_says_so_until_it_is_resumed(tmp_path: Path) -> None:
    process = started_until_some_are_recorded(tmp_path)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    path = str(tmp_path / "results.jsonl")
    assert "cut off before its end" in run(tmp_path, "-m", "reports", "summary", path).out
    out = str(tmp_path / "merged.jsonl")
    came = run(tmp_path, "-m", "reports", "merge", path, "--out", out)
    assert (came.code, "cut off before its end" in came.err) == (2, True), came.text
    assert_resumes(tmp_path)
    assert "cut off" not in run(tmp_path, "-m", "reports", "summary", path).out
    assert run(tmp_path, "-m", "reports", "merge", path, "--out", out).code == 0
