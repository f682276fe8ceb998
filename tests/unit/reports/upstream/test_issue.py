"""Scripts of departures that do not show on the machine where the issue is written."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ir_models.asking.id_parts import GRAPHS
from reports.__main__ import main
from reports.commands.issue import shown_by
from reports.gate import causes, decision
from reports.gate.baseline import Baseline
from reports.gate.severity import SEVERITIES, Severity
from reports.results.files.reading import load
from reports.results.outcomes import Outcome
from reports.results.records import Target
from reports.upstream.releases import openvino_of
from reports.upstream.text import text_of
from reports.views.report.render import html_report
from reports.views.run_end import render
from tests.unit.reports.small_results import header, record, write

CASE = "ReLU-1/plain/f32[2,3,5,4]/-"


@pytest.mark.parametrize(
    "about, why",
    [
        ({"machine": "other"}, "it is of a run on other, and "),
        ({"compile_only": True}, "running it needs a machine with CPU, or OpenVINO for Windows"),
    ],
)
def test_a_script_that_would_say_nothing_here_is_written_and_not_run(
    tmp_path: Path, about: dict[str, object], why: str
) -> None:
    cause = replace(next(iter(causes.load().by_id.values())), smallest=CASE)
    target = Target(device="CPU", profile="accuracy", **about)  # type: ignore[arg-type]
    own = record(
        CASE, "REFUSED", "known", cause=cause.id, cause_class=cause.cause_class, detail="no"
    )
    results = load(write(tmp_path / "run.jsonl", header(targets=[target]), own))
    shown = shown_by(cause, results.records, results, sys.executable)
    assert shown.run is None
    assert "core.compile_model(model" in shown.script
    text = text_of(cause, Severity("refusal", True), results.records, shown, results)
    assert f"The script was not run: {why}" in text
    # The same case of a run on this machine is run, and conforms: no script shows it.
    here = Target(device="CPU", profile="accuracy", machine=platform.machine())
    installed = openvino_of(sys.executable)
    about_run = header(installed, targets=[here])
    results = load(write(tmp_path / "here.jsonl", about_run, own))
    shown = shown_by(cause, results.records, results, sys.executable)
    assert not shown.script
    assert shown.why_none == "no case that is small enough for a script shows the same failure"
    # That of another release is not: the installed one says nothing of it.
    results = load(write(tmp_path / "older.jsonl", header("2024.1.0-1", targets=[here]), own))
    shown = shown_by(cause, results.records, results, sys.executable)
    assert (bool(shown.script), shown.run) == (True, None)
    assert shown.why_none.startswith("it is of a run on OpenVINO 2024.1.0, and ")


def test_the_script_of_an_opencl_that_is_not_here_is_for_any_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = subprocess.run

    def without_pocl(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        if "opencl=pocl" in command:
            return subprocess.CompletedProcess(command, 2, "", "PoCL is not installed")
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", without_pocl)
    cause = replace(next(iter(causes.load().by_id.values())), smallest=CASE)
    graph = "x=f32[2]; two=i64[1]:2; y=Unsqueeze-1(x,two); z=LogSoftmax-5(y){axis=1}; return z"
    about = {"device": "GPU", "profile": "opencl=pocl", "category": GRAPHS, "graph": graph}
    own = record(CASE, "REFUSED", "known", cause=cause.id, detail="no", **about)
    here = Target(device="GPU", profile="opencl=pocl", machine=platform.machine())
    about_run = header(openvino_of(sys.executable), targets=[here])
    results = load(write(tmp_path / "run.jsonl", about_run, own))
    shown = shown_by(cause, results.records, results, sys.executable)
    assert "core.compile_model(model, 'GPU'" in shown.script
    assert (shown.run, shown.why_none) == (
        None,
        "running it needs a GPU, or the OpenCL that the run had",
    )
    text = text_of(cause, Severity("refusal", True), results.records, shown, results)
    assert "- no GPU was tried: " in text
    # A graph has the pages of its operations.
    pages = re.findall(r"^- https://docs.openvino.ai/.*/([^/]*/[^/]*)\.html$", text, re.MULTILINE)
    assert pages == ["shape/unsqueeze-1", "activation/log-soft-max-5"]


def test_the_script_of_a_run_with_its_own_openvino_is_run_on_that(tmp_path: Path) -> None:
    cause = replace(next(iter(causes.load().by_id.values())), smallest=CASE)
    own = record(
        CASE, "REFUSED", "known", cause=cause.id, cause_class=cause.cause_class, detail="no"
    )
    here = Target(device="CPU", profile="accuracy", machine=platform.machine())
    folder = str(Path(str(find_spec("openvino").origin)).parents[1])
    about_run = header("2024.1.0-1", targets=[here], own_openvino=folder)
    results = load(write(tmp_path / "run.jsonl", about_run, own))
    shown = shown_by(cause, results.records, results, sys.executable)
    assert shown.why_none == "no case that is small enough for a script shows the same failure"


def test_a_cause_is_named_by_the_folder_that_a_run_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cause = replace(next(iter(causes.load().by_id.values())), smallest=CASE)
    own = record(
        CASE,
        "REFUSED",
        "known",
        cause=cause.id,
        cause_class=cause.cause_class,
        folder="CPU/accuracy/ReLU-1-plain-0a1b2c3d",
    )
    target = Target(device="CPU", profile="accuracy", machine="other")
    path = str(write(tmp_path / "run.jsonl", header(targets=[target]), own))
    for name in ("0a1b2c3d", "ReLU-1-plain-0a1b2c3d", cause.id):
        assert main(["issue", name, path]) == 1
        assert capsys.readouterr().out.startswith(f"# {cause.title}\n")
    assert main(["issue", "b2c3d", path]) == 2
    assert "no cause 'b2c3d', nor one whose folder ends so" in capsys.readouterr().err
    # A case that the baseline has under a cause, and that passes now, shows nothing.
    right = record(CASE, "PASS", "improved", cause=cause.id)
    path = str(write(tmp_path / "right.jsonl", header(targets=[target]), right))
    assert main(["issue", cause.id, path]) == 2
    assert f"no case of {cause.id} in these results" in capsys.readouterr().err


def test_the_list_and_the_issue_tell_one_severity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So do the summary, a run's end and its page.

    The shipped baselines decide, whatever some results show; a regression has one kind.
    """
    for name, device, told, text in (
        ("not-executed-for-an-empty-input", "CPU", "silent", SEVERITIES["silent"]),
        (
            "proposal-fewer-than-8-boxes-dies",
            "CPU",
            "regression: crash",
            f"{SEVERITIES['regression']}; {SEVERITIES['crash']}",
        ),
        ("same-type-conversion-of-unknown-shape", "CPU", "crash", SEVERITIES["crash"]),
        (
            "recurrent-cells-of-one-batch",
            "GPU",
            "regression: crash, PoCL alone",
            f"{SEVERITIES['regression']}; {SEVERITIES['crash']}; seen on the OpenCL of PoCL alone, "
            "where another one gives the right result",
        ),
    ):
        about = {"cause": name, "cause_class": "defect", "last_good": "2026.2", "device": device}
        about = about if "regression" in told else {**about, "last_good": ""}
        own = record(CASE, "REFUSED", "known", reason="R", **about)
        about_run = header(targets=[Target(device=device, profile="accuracy", machine="other")])
        path = write(tmp_path / "run.jsonl", about_run, own)
        for results in ([], [str(path)]):
            assert main(["causes", *results, "--device", device]) == 0
            out = capsys.readouterr().out
            assert re.search(rf"^\d\S* +\S+ +{told} .* {name} ", out, re.MULTILINE)
        assert main(["issue", name, str(path)]) == 1
        assert f"- Severity: {text}\n" in capsys.readouterr().out
        assert main(["summary", str(path)]) == 0
        assert re.search(
            rf"^1 +{told} +defect +REFUSED .* R$", capsys.readouterr().out, re.MULTILINE
        )
        loaded, none = load(path), {f"{device} (accuracy)": Baseline(name="none", is_given=True)}
        targets = decision.targets_of(loaded.runs[0], causes.load(), none)
        assert re.search(rf"^1 +{told} .* R$", render(loaded, targets, 200), re.MULTILINE)
        cell = re.search(r'<td class="severity">(.*?)</td>', html_report(loaded))
        shown = re.sub("<[^>]*>", "", cell[1]) if cell else ""
        assert shown.startswith(re.sub("[:,]", "", told)), shown


def test_a_single_layer_is_shown_before_a_graph(tmp_path: Path) -> None:
    cause = replace(next(iter(causes.load().by_id.values())), smallest=CASE)
    cases = (
        "Gather-Squeeze/graphs/f32[4,5,3],i64[1]/axis.fed=input",
        "ReLU-1/plain/f32[2,3,5,4]/-/shape=dims",
    )
    target = Target(device="CPU", profile="accuracy", machine="other")
    own = [record(case, "REFUSED", "known", cause=cause.id, detail="no") for case in cases]
    results = load(write(tmp_path / "run.jsonl", header(targets=[target]), *own))
    assert shown_by(cause, results.records, results, sys.executable).record.case == cases[1]


def test_the_smallest_case_of_a_cause_is_shown_before_a_graph_of_the_run(tmp_path: Path) -> None:
    cause = causes.load().by_id["fake-quantize-moved-behind-a-gather"]
    graph = "Gather-Squeeze/graphs/f32[4,5,3],i64[1]/axis.fed=input"
    here = Target(device="CPU", profile="accuracy", machine=platform.machine())
    own = record(graph, "FAIL", "known", cause=cause.id, purpose=GRAPHS)
    about_run = header(openvino_of(sys.executable), targets=[here])
    results = load(write(tmp_path / "run.jsonl", about_run, own))
    shown = shown_by(cause, results.records, results, sys.executable)
    assert shown.record.case == cause.smallest
    assert shown.record.outcome is Outcome.FAIL
    assert shown.run is not None
    assert shown.run.shows
    # One that conforms shows nothing, and a cause may have none.
    for smallest in ("ReLU-1/plain/f32[2,3,5,4]/-", ""):
        other = replace(cause, smallest=smallest)
        shown = shown_by(other, results.records, results, sys.executable)
        assert shown.record.case == graph
        assert shown.why_none != "it could not be made on this machine"
