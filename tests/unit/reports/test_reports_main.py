"""The command line: help, wrong usage, unreadable files, broken pipes."""

import os
import pty
import subprocess
import sys

import pytest

from reports.__main__ import COMMANDS, main
from reports.gate.causes import MEANINGS
from tests.unit.reports.small_results import HOSTILE, header, record, write


def reports(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "reports", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("arguments", [[], ["moon"], ["--moon"]])
def test_wrong_usage_is_said_shortly(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("python -m reports: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", list(COMMANDS))
def test_each_command_has_help(name, capsys):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert f"usage: python -m reports {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["summary", "{}"],
        ["compare", "{}", "{}"],
        ["merge", "{}", "--out", "{}.out"],
        ["export", "{}", "--format", "csv"],
        ["accept", "{}"],
    ],
)
@pytest.mark.parametrize("content", [None, "", '{"kind": "run"', "moon\n"])
def test_an_unreadable_file_is_one_line_and_exit_code_2(tmp_path, command, content, capsys):
    path = tmp_path / "results\x1b[31m.jsonl"
    if content is not None:
        path.write_text(content)
    assert main([part.format(path) for part in command]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert r"results\x1b[31m.jsonl" in err
    assert not (tmp_path / "results\x1b[31m.jsonl.out").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["summary"],
        ["html", "--out", "{}"],
        ["export", "--format", "csv", "--out", "{}"],
        ["errors"],
        ["causes"],
        ["accept"],
    ],
    ids=lambda command: command[0],
)
def test_results_of_two_releases_are_not_joined(tmp_path, command, capsys):
    out = tmp_path / "out"
    name, *options = (part.format(out) for part in command)
    old = write(tmp_path / "old.jsonl", header("2025.4.0-1"), record("A-1/x", "FAIL"))
    new = write(tmp_path / "new.jsonl", header(), record("A-1/x"))
    assert main([name, str(new), str(old), *options]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert "CPU (accuracy) has results of OpenVINO 2025.4.0-1 and 2026.4.1-21000-abc" in line
    assert "`python -m reports compare`" in line
    assert "`python -m reports site`" in line
    assert not out.exists()


def test_devices_of_two_releases_stand_side_by_side(tmp_path, capsys):
    cpu = write(tmp_path / "cpu.jsonl", header("2025.4.0-1"), record("A-1/x", device="CPU"))
    gpu = write(
        tmp_path / "gpu.jsonl", header(devices=["GPU"]), record("A-1/x", "FAIL", device="GPU")
    )
    assert main(["summary", str(cpu), str(gpu)]) == 1
    told = capsys.readouterr().out.splitlines()
    for head in (
        "0 unexpected departures in 1 case on CPU (accuracy), OpenVINO 2025.4.0",
        "1 unexpected departure (1 new) in 1 case on GPU (accuracy), OpenVINO 2026.4.1",
    ):
        assert any(line.startswith(head) for line in told)


def test_a_run_without_its_device_has_no_build(tmp_path, capsys):
    skipped = record("B-1/x", "ABSENT", "skipped")
    without = write(tmp_path / "without.jsonl", header(""), skipped)
    run = write(tmp_path / "run.jsonl", header(), record("A-1/x"))
    assert main(["summary", str(without), str(run)]) == 0
    assert "0 unexpected departures in 2 cases" in capsys.readouterr().out


def test_an_output_that_cannot_be_written(tmp_path, capsys):
    path = write(tmp_path / "results.jsonl", header(), record())
    assert main(["summary", str(path), "--out", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    # Nobody can make a file there; what is named is what was given, and no temporary file.
    assert main(["summary", str(path), "--out", "/proc/summary.txt"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("python -m reports summary: /proc/summary.txt: ")
    with pytest.raises(SystemExit) as ended:
        main(["summary", str(path), "--out", ""])
    assert ended.value.code == 2
    assert "argument --out: expected a path, got ''" in capsys.readouterr().err


def test_a_closed_pipe_is_no_traceback(tmp_path):
    records = [record(f"A-1/{n}", "FAIL", detail="y" * 300) for n in range(5000)]
    path = write(tmp_path / "results.jsonl", header(), *records)
    command = f"{sys.executable} -m reports export --format csv {path} | head -n 1"
    run = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("case,operation")
    assert run.stderr == ""


def test_a_terminal_that_knows_only_ascii_is_written_to(tmp_path):
    path = write(tmp_path / "results.jsonl", header(), record("A-1/é", "FAIL", detail="…"))
    run = reports("summary", path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (run.returncode, run.stderr) == (1, "")
    assert r"A-1/\xe9" in run.stdout


def test_colour_on_a_terminal_and_no_escape_of_a_device(tmp_path):
    path = write(tmp_path / "results.jsonl", header(), record("A-1/x", "FAIL", detail=HOSTILE))
    leader, follower = pty.openpty()
    run = subprocess.run(
        [sys.executable, "-m", "reports", "summary", str(path)],
        stdout=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        check=False,
    )
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert run.returncode == 1
    assert "\x1b[1;31mFAIL\x1b[0m" in shown
    assert "\x1b[31mred" not in shown
    assert r"\x1b[31mred" in shown


@pytest.mark.parametrize("name", ["accept", "summary", "causes"])
def test_help_says_what_the_classes_of_causes_mean(name, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    told = " ".join(capsys.readouterr().out.split())
    for kind, means in MEANINGS.items():
        assert f"{kind} ({means})" in told


def test_results_behind_an_option_of_several_values_are_explained(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["summary", "--operation", "Gather", "run.jsonl"])
    assert caught.value.code == 2
    assert "RESULTS. Put RESULTS first" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-3", "x"])
def test_a_number_of_issues_is_positive(number, tmp_path, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["issues", "run.jsonl", "--out", str(tmp_path / "issues"), f"--most={number}"])
    assert caught.value.code == 2
    assert f"a whole number from 1 on, got '{number}'" in capsys.readouterr().err
    assert not (tmp_path / "issues").exists()


def test_an_index_of_others_is_not_replaced_by_that_of_issues(tmp_path, capsys):
    case = "OneHot-1/invalid/i64[2,3,4],f32[],f32[]/depth=0,axis=1"
    accepted = record(case, "ACCEPTED_INVALID", "known", cause="one-hot-depth-of-0")
    path = write(tmp_path / "run.jsonl", header(), accepted)
    index = tmp_path / "issues" / "index.md"
    index.parent.mkdir()
    index.write_text("# Issues of ours\n")
    command = ["issues", str(path), "--out", str(index.parent), "--class", *MEANINGS]
    assert main(command) == 2
    assert (
        f"{index}: is not such a report of this suite; choose another --out"
        in capsys.readouterr().err
    )
    assert index.read_text() == "# Issues of ours\n"
    index.unlink()
    for _ in range(2):
        assert main(command) == 0
        assert "(one-hot-depth-of-0.md)" in index.read_text()


def test_a_closed_output_is_one_line(tmp_path):
    path = write(tmp_path / "r.jsonl", header(), record())
    command = f"{sys.executable} -m reports summary {path} >&-"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "output: it is closed\n"


def test_causes_that_are_nested_too_deeply_are_one_line(tmp_path, capsys):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "one.toml").write_text("title = " + "[" * 5000)
    assert main(["causes", "--causes", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("one.toml: nested too deeply")


def test_a_batch_has_a_name(capsys, tmp_path):
    assert main(["batch", "", "--out", str(tmp_path / "out")]) == 2
    assert "a batch needs FIX and --out DIR; --list prints each FIX" in capsys.readouterr().err


def test_a_folder_of_causes_that_may_not_be_read_is_one_line(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "own"
    folder.mkdir()

    def refused(path):
        raise PermissionError(13, "Permission denied", str(path))

    # The user root may read any folder.
    monkeypatch.setattr("reports.gate.causes.os.listdir", refused)
    assert main(["causes", "--causes", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"{folder}: cannot be read: Permission denied")
