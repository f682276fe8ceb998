"""One results file, one writer: the second gets to know who the first is, and a dead one is no obstacle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from reports.__main__ import main
from reports.results.files.reading import load
from reports.results.files.writer import ResultsWriter
from reports.results.records import ResultsError
from tests.unit.reports.small_results import header, record, write

pytest.importorskip("fcntl")

ROOT = Path(__file__).parents[4]
HOLDER = """
import os, subprocess, sys, time
sys.path.insert(0, "tests/unit/reports")
from tests.unit.reports.small_results import header, record
from reports.results.files.writer import ResultsWriter
process = f"{os.getpid()} on here"
started = "2026-11-22T02:00:00+00:00"
writer = getattr(ResultsWriter, sys.argv[2])(sys.argv[1], header(process=process, started=started))
writer.append(record("A-1/x"))
if sys.argv[3:] == ["child"]:
    subprocess.Popen(["sleep", "60"])
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A function that starts another process which writes a results file, and waits until it does."""
    started = []

    def start(path, make="create", *options):
        command = [sys.executable, "-c", HOLDER, str(path), make, *options]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("first", ["create", "resume"])
@pytest.mark.parametrize("second", [ResultsWriter.create, ResultsWriter.resume])
def test_a_second_writer_is_told_who_the_first_is(tmp_path, holder, first, second):
    path = tmp_path / "r.jsonl"
    write(path, header(process="1 on another", started="2025"), record("B-1/x"))
    process = holder(path, first)
    before = path.read_bytes()
    told = rf"process {process.pid} on here, which started at 2026-11-22T02:00:00\+00:00, writes it"
    with pytest.raises(ResultsError, match=told):
        second(path, header())
    assert path.read_bytes() == before


@pytest.mark.parametrize("options", [(), ("child",)], ids=["", "its children live on"])
def test_a_dead_writer_is_no_obstacle(tmp_path, holder, options):
    path = tmp_path / "r.jsonl"
    process = holder(path, "create", *options)
    process.kill()
    process.wait()
    with ResultsWriter.resume(path, header()) as writer:
        assert {case for case, _, _ in writer.finished} == {"A-1/x"}
    assert os.listdir(tmp_path) == ["r.jsonl"]


def test_a_closed_file_is_free(tmp_path):
    path = tmp_path / "r.jsonl"
    for _ in range(3):
        ResultsWriter.create(path, header()).close()


def test_reading_does_not_take_the_lock_away(tmp_path):
    path = tmp_path / "r.jsonl"
    with ResultsWriter.create(path, header()) as writer:
        writer.append(record())
        load(path)
        with pytest.raises(ResultsError, match="writes it"):
            ResultsWriter.create(path, header())


def test_a_merge_does_not_replace_the_results_of_a_run_that_goes_on(tmp_path, holder, capsys):
    one = write(tmp_path / "one.jsonl", header(), record())
    process = holder(tmp_path / "r.jsonl")
    assert main(["merge", str(one), "--out", str(tmp_path / "r.jsonl"), "--force"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"r.jsonl: process {process.pid} on here" in line


def test_of_many_that_start_at_once_one_runs(tmp_path):
    path = tmp_path / "r.jsonl"
    write(path, header(), record("B-1/x"))
    script = HOLDER.replace("time.sleep(60)", "sys.stdin.read()")
    command = [sys.executable, "-c", script, str(path), "create"]
    processes = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    ready = [process.stdout.readline() for process in processes]
    said = [process.communicate()[1] for process in processes]
    assert sorted(ready) == ["", "", "", "ready\n"]
    assert sum("writes it" in text for text in said) == 3
    assert [one.case for one in load(tmp_path / "r.previous.jsonl").records] == ["B-1/x"]
    assert [one.case for one in load(path).records] == ["A-1/x"]
