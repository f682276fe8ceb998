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


def test_cells_count_what_conforms_and_name_the_rest(results, capsys):
    assert main(["purposes", results]) == 0
    told = capsys.readouterr().out
    assert "1 of 3; 2 REFUSED" in told
    (rank,) = (row for row in told.splitlines() if row.startswith("rank"))
    assert rank.split() == ["rank", "-", "1"]


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
    assert "| purpose" in capsys.readouterr().out
