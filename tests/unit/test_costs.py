"""The command that measures what a run costs."""

import subprocess
import sys

COMMAND = [sys.executable, "-m", "tests.benchmark.costs"]


def test_a_run_is_measured(tmp_path):
    options = ["--", "--operation", "SpaceToDepth-1", "--purpose", "rank", "invalid"]
    done = subprocess.run(
        [*COMMAND, "--workers", "1", "--keep", str(tmp_path / "kept"), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    header, row, *_ = done.stdout.splitlines()
    assert header.split()[:2] == ["workers", "cases"]
    workers, cases, wall, cores, *_ = row.split()
    assert int(workers) == 1
    assert int(cases) > 10
    assert float(wall) > 0.1
    assert float(cores) > 0.1
    assert row.split()[-1] == "0"
    assert "asked alone" in done.stdout
    assert (tmp_path / "kept" / "1.jsonl").exists()


def test_wrong_usage_and_a_run_that_fails_are_told_in_one_line():
    for options, word in ((["--workers", "0"], "at least 1"), (["--", "--seed", "x"], "--seed")):
        done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert word in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
