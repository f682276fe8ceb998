"""The largest errors as fractions of their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.__main__ import main
from tests.unit.reports.small_results import header, record, write


@pytest.fixture
def results(tmp_path: Path) -> str:
    lines = [
        record("Exp-1/type/f32[2]", "PASS", fraction=0.25),
        record("Exp-1/rank/f32[2,3]", "PASS", fraction=0.5),
        record("Exp-1/large-output/f32[9]", "FAIL", fraction=1.5),
        record("Exp-1/type/f16[2]", "PASS", fraction=0.125),
        record("Tile-1/type/f32[2]", "PASS", fraction=None),
        record("Tile-1/type/i64[2]", "FAIL", fraction=1e308),
    ]
    return str(write(tmp_path / "cpu.jsonl", header(), *lines))


def told(capsys) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_largest_within_and_how_many_outside(results, capsys):
    assert main(["errors", results, "--type", "f32", "--type", "f16"]) == 0
    rows = told(capsys)
    assert ["Exp-1", "f32", "0.50;", "1", "outside"] in rows
    assert ["Exp-1", "f16", "0.12"] in rows
    assert not any("Tile-1" in row for row in rows)


def test_one_type(results, capsys):
    assert main(["errors", results, "--type", "f16"]) == 0
    assert not any("f32" in row for row in told(capsys))


def test_nothing_with_a_bound(results, capsys):
    assert main(["errors", results, "--type", "u8"]) == 2
    assert "no case has an error bound" in capsys.readouterr().err
