"""From verdicts to records: expectations, the gate, the results file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from devices import Verdict
from ir_models import ir
from reports import expectations, folders
from reports.outcomes import Gate
from reports.results import Writer, failures_folder
from tests.conformance.evidence import write_folder
from tests.conformance.header import header
from tests.conformance.selection import Selection, Target

# The largest number of failure folders of a run by gate; 40 for the other gates, such as QUALITY.
FOLDERS = {Gate.DEPARTURE: 200, Gate.EXPECTED: 200}


class Recorder:
    """Knows the expectations, and writes results and failure folders.

    ``facts`` are what each target's device reports about itself, by the target's name. ``processes`` is the number of
    processes that share the limits of failure folders.
    """

    def __init__(
        self, selection: Selection, path: Path, facts: Mapping[str, Any], processes: int = 1
    ) -> None:
        self.path, self.facts, self.selection = path, facts, selection
        self.folders = failures_folder(path)
        self.header = header(selection, facts)
        self.expectations = {t.device: expectations.load_for(t.device) for t in selection.targets}
        # One for each gate: expected departures and QUALITY must not use up the folders of unexpected departures.
        self.budgets = {
            gate: folders.FolderBudget(number=max(number // processes, 4))
            for gate, number in {**dict.fromkeys(Gate, 40), **FOLDERS}.items()
        }
        self.writer: Writer | None = None
        self.finished: set[tuple[str, str, str]] = set()

    def open(self) -> None:
        """Create the results file, or resume it. Raises ResultsError."""
        make = Writer.resume if self.selection.resume else Writer.create
        self.writer = make(self.path, self.header)
        self.finished = set(self.writer.finished)

    def add(self, record: dict[str, Any]) -> None:
        """Write one record."""
        assert self.writer is not None
        self.writer.append(record)

    def expected_of(self, record: Mapping[str, Any]) -> expectations.Entry | None:
        """The expectation that matches a record, or None."""
        facts = expectations.facts(self.header, record["device"], record["profile"])
        return self.expectations[record["device"]].match(record, facts)


def is_of_a_case(report: pytest.TestReport) -> bool:
    """Whether a report is of a case: it has a record, and reports of other tests have none."""
    return hasattr(report, "conformance")


def record_in(report: pytest.TestReport) -> dict[str, Any] | None:
    """The record in a report of a case, or None."""
    text = getattr(report, "conformance", None)
    if text is None:
        return None
    record: dict[str, Any] = json.loads(text)
    return record


def record_of(verdict: Verdict, target: Target, recorder: Recorder) -> dict[str, Any]:
    """The record of one case. Writes its failure folder if the verdict has evidence."""
    case, compared = verdict.case, verdict.comparison
    operation = case.operation
    wrong = bool(compared and compared.wrong)
    record: dict[str, Any] = {
        "case": case.id,
        "operation": operation.name,
        "category": operation.category,
        "opset": operation.opset,
        "purpose": case.purpose,
        "device": target.device,
        "profile": target.profile.name,
        "outcome": str(verdict.outcome),
        "wanted": str(verdict.expected_outcome),
        "detail": verdict.detail,
        "seconds": round(verdict.seconds, 6),
        "kernel": verdict.kernel.primitive if verdict.kernel else "",
        "precision": verdict.kernel.precision if verdict.kernel else "",
        "pack": verdict.pack,
        "gate": "",
        "reason": "",
        "fraction": compared.fraction if compared else None,
        "worst": _worst(verdict) if wrong else None,
        "wrong": compared.wrong if compared else None,
        "of": compared.of if compared else None,
        "xml": "",
        "asked": case.id.split("/", 2)[2],
        "folder": "",
    }
    entry = recorder.expected_of(record)
    gate = expectations.judge(
        verdict.outcome,
        verdict.expected_outcome,
        entry,
        allow_absent=recorder.selection.allow_absent or verdict.not_in_release,
    )
    record["gate"] = str(gate)
    record["reason"] = (
        entry.reason if entry is not None and gate in (Gate.EXPECTED, Gate.IMPROVED) else ""
    )
    if gate in (Gate.DEPARTURE, Gate.EXPECTED, Gate.QUALITY):
        record["xml"] = ir.layer_xml(case, _output_shapes(verdict))
    if verdict.evidence is not None:
        budget = recorder.budgets[gate]
        record["folder"] = write_folder(
            recorder.folders, record, verdict, verdict.evidence, target, budget
        )
    return record


def _output_shapes(verdict: Verdict) -> list[tuple[int, ...]] | None:
    if verdict.evidence is None or not verdict.evidence.expected:
        return None
    return [output.value.shape for output in verdict.evidence.expected[0]]


def _worst(verdict: Verdict) -> dict[str, Any] | None:
    compared = verdict.comparison
    if compared is None or compared.index is None:
        return None
    return {
        "output": verdict.output_index,
        "index": list(compared.index),
        "expected": compared.expected,
        "actual": compared.actual,
        "low": compared.low,
        "high": compared.high,
    }


def worker_count(environment: Mapping[str, str] = os.environ) -> int:
    """The number of processes of this run."""
    return int(environment.get("PYTEST_XDIST_WORKER_COUNT", "1"))
