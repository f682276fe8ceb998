"""Nothing that is not the project's own is replaced, moved or waited for, whatever ``--out`` names."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reports.__main__ import main
from reports.results.failures.own import check_own
from reports.results.files.writer import ResultsWriter
from reports.results.records import ResultsError
from tests.unit.reports.small_results import header, record, write

COMMANDS = [
    ["summary"],
    ["summary", "--markdown"],
    ["errors"],
    ["compare", "{results}"],
    ["compare", "{results}", "--json"],
    ["html"],
    ["merge"],
    ["export", "--format", "csv"],
    ["export", "--format", "json"],
    ["export", "--format", "ctrf"],
]
RECOGNIZED = [
    one
    for one in COMMANDS
    if one[0] in ("html", "merge", "export") or one[-1] in ("--html", "--json")
]


def directory(path: Path) -> None:
    path.mkdir()


def link(path: Path) -> None:
    (path.parent / "aim").write_text("mine\n")
    path.symlink_to("aim")


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def device(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes device nodes")


def foreign(path: Path) -> None:
    path.write_text("notes: run, schema 2,\n")


def link_to_a_report(path: Path) -> None:
    """Recognized, if the link were followed."""
    (path.parent / "aim").write_text('{"kind":"run","schema":2}\n')
    path.symlink_to("aim")


UNUSUAL = [directory, link, link_to_nothing, link_to_a_report, device, os.mkfifo]


def state(folder: Path) -> list[tuple[str, int, int, str]]:
    """What is in a folder: names, kinds, inodes, and contents or where links lead."""
    found = []
    for path in sorted(folder.iterdir()):
        status = path.lstat()
        kind = stat.S_IFMT(status.st_mode)
        content = (
            path.read_text(errors="replace")
            if stat.S_ISREG(kind)
            else os.readlink(path)
            if stat.S_ISLNK(kind)
            else ""
        )
        found.append((path.name, kind, status.st_ino, content))
    return found


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return Path(write(folder / "r.jsonl", header(), record(fraction=0.5)))


def call(command: list[str], results: Path, *options: object) -> int:
    given = [part.format(results=results) for part in command]
    return main([*given, str(results), *map(str, options)])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("make", UNUSUAL, ids=lambda one: one.__name__)
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_only_regular_files_are_replaced(tmp_path, results, capsys, command, make, force):
    folder = tmp_path / "out"
    folder.mkdir()
    make(folder / "x")
    before = state(folder)
    assert call(command, results, "--out", folder / "x", *force) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "x: is a" in line
    assert "which is never replaced; choose another file" in line
    assert state(folder) == before


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_files_of_others_are_replaced_with_force_only(tmp_path, results, capsys, command):
    out = tmp_path / "x"
    foreign(out)
    assert call(command, results, "--out", out) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not such a report of this suite; --force replaces it" in line
    assert out.read_text().startswith("notes")
    assert call(command, results, "--out", out, "--force") == 0
    assert not out.read_text().startswith("notes")


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "forced"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_a_command_reads_is_never_replaced(tmp_path, results, command, force, capsys):
    """Neither by its own path nor by another one to the same file."""
    before = results.read_bytes()
    other = results.parent / ".." / results.parent.name / results.name
    link = tmp_path / "hard.jsonl"
    link.hardlink_to(results)
    for out in (results, other, link):
        assert call(command, results, "--out", out, *force) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("is a file that the command reads: choose another")
    assert results.read_bytes() == before


@pytest.mark.parametrize("command", RECOGNIZED, ids=" ".join)
def test_an_earlier_report_is_recognized(tmp_path, results, command):
    out = tmp_path / "x"
    assert call(command, results, "--out", out) == 0
    write(results, header("2027.1.0"), record(fraction=0.7), record("B-1/x"))
    assert call(command, results, "--out", out) == 0


@pytest.mark.parametrize("command", RECOGNIZED, ids=" ".join)
def test_a_report_of_another_kind_is_not_taken_for_it(tmp_path, results, command, capsys):
    out = tmp_path / "x"
    for other in RECOGNIZED:
        if other != command and not {other[-1], command[-1]} <= {"html", "--html"}:
            out.unlink(missing_ok=True)
            assert call(other, results, "--out", out) == 0
            assert call(command, results, "--out", out) == 2, other


def test_an_empty_file_is_free(tmp_path, results):
    (tmp_path / "x").touch()
    assert call(["summary"], results, "--out", tmp_path / "x") == 0


@pytest.mark.parametrize("out", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_pipe_that_is_open_already_is_written_to(results, out):
    command = [
        sys.executable,
        "-m",
        "reports",
        "export",
        "--format",
        "csv",
        str(results),
        "--out",
        out,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("case,operation")


# --- results files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [*UNUSUAL, foreign], ids=lambda one: one.__name__)
@pytest.mark.parametrize("start", [ResultsWriter.create, ResultsWriter.resume])
def test_a_run_takes_no_place_that_is_not_its_own(tmp_path, make, start):
    make(tmp_path / "x")
    before = state(tmp_path)
    with pytest.raises(ResultsError):
        start(tmp_path / "x", header())
    assert state(tmp_path) == before


@pytest.mark.parametrize("make", [*UNUSUAL, foreign], ids=lambda one: one.__name__)
@pytest.mark.parametrize("name", ["r.previous.jsonl", "r.previous.failures", "r.failures"])
def test_a_run_moves_results_to_no_place_that_is_not_its_own(tmp_path, results, make, name):
    if make in (directory, foreign) and name.endswith("s") != (make is foreign):
        pytest.skip("an empty folder is no loss, and a foreign file is tried where files are")
    make(results.parent / name)
    before = state(results.parent)
    with pytest.raises(ResultsError, match=r"is never replaced|left as"):
        ResultsWriter.create(results, header())
    assert state(results.parent) == before


def test_a_folder_with_files_of_others_is_no_folder_of_failures(tmp_path):
    root = tmp_path / "r.failures"
    check_own(root)
    case = root / "CPU" / "accuracy" / "Gather-8-plain-12345678"
    case.mkdir(parents=True)
    check_own(root)
    (case / "manifest.json").write_text("{}")
    (case / "notes.txt").write_text("the user's remarks go with the case")
    (case.parent / ".Gather-8-type-1.x1y2").mkdir()
    (case.parent / ".Gather-8-type-1.x1y2" / "model.xml").write_text("half a folder")
    check_own(root)
    for place in (root, root / "CPU", case.parent):
        (place / "notes.txt").write_text("mine")
        with pytest.raises(ResultsError, match=r"is not a folder of failure folders .*notes.txt"):
            check_own(root)
        (place / "notes.txt").unlink()


def test_an_empty_results_file_is_used(tmp_path):
    path = tmp_path / "r.jsonl"
    path.touch(mode=0o640)
    inode = path.stat().st_ino
    ResultsWriter.create(path, header()).close()
    assert path.stat().st_ino == inode
    assert not (tmp_path / "r.previous.jsonl").exists()


def test_results_of_another_version_of_the_format_are_kept(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"schema": 1, "kind": "run"}\n{"kind": "case"}\n')
    ResultsWriter.create(path, header()).close()
    assert (tmp_path / "r.previous.jsonl").read_text().startswith('{"schema": 1')
