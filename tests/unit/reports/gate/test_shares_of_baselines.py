"""The precision of selectors as a baseline shows it, without another run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reports.__main__ import main
from reports.commands import causes as command
from reports.gate import baseline_files
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Ending, Line, Run
from reports.gate.causes import Cause, Causes, name_of
from reports.gate.measuring import CorpusCase, measured
from reports.gate.precision import Share, from_text
from reports.gate.selectors import Selector
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome

RUN = Run("CPU", "accuracy", "2026.4.1-1", isa="avx2")
WRONG = Line((Ending(Outcome.FAIL, Facts(kind="value", output=0)),), "a")
FAILS = Selector({"operation": ("Abs-1",), "outcome": ("FAIL",)})
OF_INVALID = Selector({"operation": ("Abs-1",), "outcome": ("ACCEPTED_INVALID",)})
OF_KERNELS = Selector({"operation": ("Abs-1",), "kernel": ("jit_*",), "outcome": ("FAIL",)})
CASES = [
    CorpusCase("Abs-1/plain/f32[2]/-", "arithmetic"),
    CorpusCase("Abs-1/type/f16[2]/-", "arithmetic"),
    CorpusCase("Abs-1/invalid/f32[3]/-", "arithmetic", rule="a rule"),
    CorpusCase("Abs-1/rank/f32[]/-", "arithmetic"),
]


def cause(*selectors: Selector) -> Cause:
    return Cause("a", "title", "defect", devices=("CPU",), selectors=selectors)


def baseline(
    run: Run, lines: dict[str, Line], *asked: CorpusCase, base: Baseline | None = None
) -> Baseline:
    return Baseline(run, lines, AskedCases.of(each.id for each in asked), base=base)


def test_a_share_counts_the_cases_that_the_baseline_asked() -> None:
    """The invalid layer was refused, and cannot fail; nobody asked the scalar."""
    one = cause(FAILS, OF_INVALID)
    known = baseline(RUN, {CASES[0].id: WRONG}, *CASES[:3])
    assert measured(known, CASES, Causes([one]), {}) == {
        name_of(one, FAILS): Share(2, 1),
        name_of(one, OF_INVALID): Share(1, 0),
    }


def test_what_a_baseline_below_asked_alone_does_not_count() -> None:
    below = baseline(RUN, {CASES[0].id: WRONG}, *CASES)
    above = baseline(replace(RUN, isa="sse42"), {}, *CASES[:2], base=below)
    one = cause(FAILS)
    assert measured(above, CASES, Causes([one]), {}) == {name_of(one, FAILS): Share(2, 1)}


def test_what_a_run_measured_of_kernels_is_kept() -> None:
    """A baseline does not know kernels. Shares of selectors that are gone go."""
    one = cause(OF_KERNELS)
    before = {name_of(one, OF_KERNELS): Share(4, 4), "gone 0123456789": Share(1, 1)}
    found = measured(baseline(RUN, {}, *CASES), CASES, Causes([one]), before)
    assert found == {name_of(one, OF_KERNELS): Share(4, 4)}


def test_the_command_writes_the_shares_of_edited_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "baselines" / "CPU" / "2026.4"
    texts = baseline_files.texts_of(
        baseline(RUN, {CASES[0].id: WRONG}, *CASES), "cause\tselector\tadmitted\tdeparting\n"
    )
    baseline_files.write_folder(folder, texts)
    monkeypatch.setattr(baseline_files, "DIRECTORY", tmp_path / "baselines")
    monkeypatch.setattr(
        command.baseline_files, "folders_of", lambda device: [folder] if device == "CPU" else []
    )
    monkeypatch.setattr(command, "_corpus", lambda draws: iter(CASES))
    causes = tmp_path / "causes"
    causes.mkdir()
    (causes / "zz-own.toml").write_text(
        'title = "t"\nclass = "open"\npage = ""\nsmallest = "Abs-1/plain/f32[2]"\n'
        'since = "2024.0"\ndevices = ["CPU"]\n[[select]]\noperation = ["Abs-1"]\noutcome = ["FAIL"]\n'
    )
    assert main(["causes", "--measure", f"--causes={causes}"]) == 0
    assert "precision.tsv: " in capsys.readouterr().out
    shares = from_text((folder / baseline_files.PRECISION).read_text())
    assert [share for name, share in shares.items() if name.startswith("zz-own ")] == [Share(3, 1)]
    assert main(["causes", "--measure", "--device", "GPU"]) == 2
    error = capsys.readouterr().err
    assert "GPU" in error
    assert error.count("\n") == 1
