"""The acceptance test of one change: the cases of all causes with a fix, and the commands that run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.__main__ import main
from tests.unit.reports.small_results import header, record, write

CAUSE = """\
title = "{}"
class = "defect"
component = "core"
smallest = "{}"
devices = ["CPU"]
{}[[select]]
operation = ["{}"]
"""
CASES = ["Abs-1/plain/f32[2]/-", "Abs-1/type/f16[2]/-", "Cos-1/plain/f32[2]/-"]


@pytest.fixture
def results(tmp_path: Path, shipped: Path) -> str:
    """Results that two causes name and no baseline has, and a case that passes."""
    fix = 'fix = "sign"\nplace = { CPU = "node Abs (ref)" }\n'
    (shipped / "abs.toml").write_text(CAUSE.format("Abs - wrong", CASES[0], fix, "Abs-1"))
    (shipped / "cos.toml").write_text(
        CAUSE.format("Cos - wrong", CASES[2], 'fix = "sign"\n', "Cos-1")
    )
    (shipped / "sin.toml").write_text(CAUSE.format("Sin - wrong", CASES[2], "", "Sin-1"))
    cases = [*(record(case, "FAIL", "new") for case in CASES), record("Abs-1/dim-0/f32[0]/-")]
    return str(write(tmp_path / "run.jsonl", header(), *cases))


def test_a_batch(results: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "batch"
    assert main(["batch", "sign", results, "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"3 cases of 2 causes in {out / 'cases.txt'}\n"
    assert (out / "cases.txt").read_text().splitlines() == CASES
    text = (out / "README.md").read_text()
    suite = "python -m pytest tests/conformance --device CPU --openvino BUILD"
    assert f"{suite} --cases {out}/cases.txt --baseline=none --strict-gate\n" in text
    assert f"{suite} --operation Abs-1 Cos-1\n" in text
    assert "- [abs] Abs - wrong: 2 cases\n  - core; place: `node Abs (ref)`\n" in text
    # Again, and of one cause alone.
    assert main(["batch", "cos", results, "--out", str(out)]) == 0
    assert (out / "cases.txt").read_text().splitlines() == CASES[2:]


@pytest.mark.parametrize(
    "fix, why",
    [("nope", "no cause has the fix or the id 'nope'"), ("sin", "no case of sin on CPU")],
)
def test_a_batch_of_nothing(
    fix: str, why: str, results: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["batch", fix, results, "--out", str(tmp_path / "batch")]) == 2
    assert capsys.readouterr().err == f"python -m reports batch: {why}\n"
    assert not (tmp_path / "batch").exists()
