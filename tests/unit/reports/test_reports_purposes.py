"""Purposes against operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.__main__ import main
from tests.unit.reports.small_results import header, record, write


@pytest.fixture
def results(tmp_path: Path) -> str:
    path = tmp_path / "cpu.jsonl"
    lines = [
        record("A-1/type/f32[2]", "PASS"),
        record("A-1/type/i4[2]", "REFUSED"),
        record("A-1/type/u4[2]", "REFUSED"),
        record("B-1/rank/f32[2]", "PASS"),
    ]
    write(path, header(), *lines)
    return str(path)


def test_rows_count_what_conforms_and_name_the_rest(results, capsys):
    assert main(["purposes", results]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()]
    assert ["A-1", "type", "2", "REFUSED", "3", "1"] in rows
    assert ["B-1", "rank", "1", "1"] in rows


def test_what_compiled_and_was_not_checked_does_not_conform(tmp_path, capsys):
    write(tmp_path / "npu.jsonl", header(), record("A-1/type/f32[2]", "COMPILED"))
    assert main(["purposes", str(tmp_path / "npu.jsonl")]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()]
    assert ["A-1", "type", "1", "COMPILED", "1", "0"] in rows


def test_lines_are_short_however_many_operations_there_are(tmp_path, capsys):
    path = tmp_path / "cpu.jsonl"
    names = [f"SomeLongOperationName{number}-1" for number in range(300)]
    write(path, header(), *(record(f"{name}/type/f32[2]", "REFUSED") for name in names))
    assert main(["purposes", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(any(line.startswith(f"{name} ") for line in lines) for name in names)
    assert max(map(len, lines)) < 100


@pytest.mark.parametrize("name", ["B-1", "B", "b-1"])
def test_one_operation(results, capsys, name):
    assert main(["purposes", results, "--operation", name]) == 0
    told = capsys.readouterr().out
    assert "B-1" in told
    assert "A-1" not in told


def test_an_operation_without_results(results, capsys):
    assert main(["purposes", results, "--operation", "C-1"]) == 2
    assert "no case of C-1" in capsys.readouterr().err


def test_markdown(results, capsys):
    assert main(["purposes", results, "--markdown"]) == 0
    assert "| operation | purpose |" in capsys.readouterr().out
