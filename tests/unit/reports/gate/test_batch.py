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


def test_a_batch(
    results: str, tmp_path: Path, shipped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "batch"
    assert main(["batch", "sign", results, "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"3 cases of 2 causes in {out / 'cases.txt'}\n"
    assert {path.name for path in out.iterdir()} == {"README.md", "cases.txt"}
    assert (out / "cases.txt").read_text().splitlines() == CASES
    text = (out / "README.md").read_text()
    suite = "python -m pytest tests/conformance --device CPU --openvino BUILD"
    own = f"{suite} --cases {out}/cases.txt --baseline=none --strict-gate"
    assert f"{own} --results results/batch-cases.jsonl\n" in text
    others = f"{suite} -n auto --operation Abs-1 Cos-1 --results results/batch-cases-others.jsonl"
    assert f"{others}\n" in text
    assert "- [abs] Abs - wrong: 2 cases\n  - core; place: `node Abs (ref)`\n" in text
    assert "Extent: core; 1 place measured; no guess of one line.\n" in text
    # Again, and of one cause alone.
    guess = 'hint = "sizes{1}"\n'
    (shipped / "cos.toml").write_text(CAUSE.format("Cos - wrong", CASES[2], guess, "Cos-1"))
    assert main(["batch", "cos", results, "--out", str(out)]) == 0
    text = (out / "README.md").read_text()
    assert "Extent: core; 0 places measured; a guess of one line for each cause is below.\n" in text
    assert "  - a guess at the change, which nobody tried: sizes{1}\n" in text
    assert (out / "cases.txt").read_text().splitlines() == CASES[2:]


def test_cases_of_another_profile_run_with_it(
    results: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the usual profile shows runs with that one, the rest with the one that shows it."""
    own = [record(case, "FAIL", "new", profile="isa=SSE41") for case in CASES[1:]]
    usual = [record(case, "FAIL", "new") for case in CASES[:2]]
    path = write(tmp_path / "two.jsonl", header(), *own, *usual)
    out = tmp_path / "batch"
    assert main(["batch", "sign", str(path), "--out", str(out)]) == 0
    told = f"3 cases of 2 causes in {out / 'cases.txt'} and {out / 'cases-isa=SSE41.txt'}\n"
    assert capsys.readouterr().out == told
    assert (out / "cases.txt").read_text().splitlines() == CASES[:2]
    assert (out / "cases-isa=SSE41.txt").read_text().splitlines() == CASES[2:]
    text = (out / "README.md").read_text()
    suite = "python -m pytest tests/conformance --device CPU --openvino BUILD"
    assert f"{suite} -n auto --operation Abs-1 --results results/batch-cases-others.jsonl\n" in text
    of_sse41 = f"{suite} --profile isa=SSE41 -n auto --operation Cos-1 --results "
    assert f"{of_sse41}results/batch-cases-isa=SSE41-others.jsonl\n" in text
    # Files of cases that are no longer there are removed.
    assert main(["batch", "sign", results, "--out", str(out)]) == 0
    assert not (out / "cases-isa=SSE41.txt").exists()


def test_what_other_causes_name_stays(results: str, tmp_path: Path, shipped: Path) -> None:
    of_f16 = CAUSE.format("Abs - f16", CASES[1], "", "Abs-1") + 'type = ["f16"]\n'
    (shipped / "a-f16.toml").write_text(of_f16)
    assert main(["batch", "abs", results, "--out", str(tmp_path / "batch")]) == 0
    assert (tmp_path / "batch/cases.txt").read_text().splitlines() == CASES[:1]
    readme = (tmp_path / "batch/README.md").read_text()
    assert "Of these operations 1 other departure with other causes must fail as before." in readme


@pytest.mark.parametrize(
    "fix, why",
    [
        ("nope", "no cause has the fix or the id 'nope'; --list prints each fix"),
        ("sgin", "no cause has the fix or the id 'sgin'; near: sin, sign; --list prints each fix"),
        ("sin", "no case of sin on CPU"),
        ("old", "no case of old on CPU: it is fixed in 2026.2"),
    ],
)
def test_a_batch_of_nothing(
    fix: str,
    why: str,
    results: str,
    tmp_path: Path,
    shipped: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = CAUSE.format("Tan - wrong", "Tan-1/plain/f32[2]/-", 'fixed = "2026.2"\n', "Tan-1")
    (shipped / "old.toml").write_text(old)
    assert main(["batch", fix, results, "--out", str(tmp_path / "batch")]) == 2
    assert capsys.readouterr().err == f"python -m reports batch: {why}\n"
    assert not (tmp_path / "batch").exists()


def test_the_fixes_are_listed(
    results: str, shipped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = 'fix = "tangent"\nfixed = "2026.2"\n'
    (shipped / "tan.toml").write_text(CAUSE.format("Tan", "Tan-1/plain/f32[2]/-", done, "Tan-1"))
    assert main(["batch", "--list"]) == 0
    assert capsys.readouterr().out == "sign: abs, cos\n"
    assert main(["batch", "sign"]) == 2
    told = "a batch needs FIX and --out DIR; --list prints each FIX"
    assert capsys.readouterr().err == f"python -m reports batch: {told}\n"
