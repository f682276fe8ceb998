"""The commands that measure what a run costs."""

import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "tests.benchmark.shares"]


def test_the_account_of_a_run_has_both_sides_of_the_pipe(tmp_path):
    kept = tmp_path / "results.jsonl"
    options = ["--", "--operation", "SpaceToDepth-1", "--purpose", "rank", "invalid", "-n", "2"]
    options += ["--depth", "single"]
    command = [*COMMAND, "--keep", str(kept), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    head, _, names, *rows = done.stdout.splitlines()
    assert int(head.split()[0].replace(",", "")) > 10
    assert kept.exists()
    assert "workers  children  fork server" in names
    # By part: core seconds of all processes, the share, ms a case.
    parts = {row[: row.index("  ")]: row.split() for row in rows if "%" in row}
    # Shorter ones may lie between two samples.
    assert {"importing", "OpenVINO: compile"} <= parts.keys()
    seen, unseen = (float(parts[name][-3]) for name in ("seen", "not seen"))
    assert seen > unseen
    workers, children = map(int, rows[-1].split()[2:4])
    assert workers == 2
    assert children >= 2


def test_wrong_usage_and_a_run_that_fails_are_told_in_one_line():
    for options, word in ((["--keep"], "expected one argument"), (["--", "--seed", "x"], "--seed")):
        done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert word in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_the_cost_of_a_case_by_the_number_of_cases():
    command = [sys.executable, "-m", "tests.benchmark.scale", "--cases", "150", "--workers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    header, row = done.stdout.splitlines()
    assert header.split()[0] == "cases"
    cases, wall, cores, of_a_case, first, worker = row.split()
    assert cases == "150"
    assert float(wall) > 0
    assert float(of_a_case) == pytest.approx(1000 * float(cores) / 150, rel=0.05)
    assert min(float(first), float(worker)) > 20  # MiB: both were measured
