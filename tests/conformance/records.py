"""From verdicts to records: expectations, failure folders, the results file and its header."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from devices import Evidence, Verdict
from devices.fork_client import child_environment
from devices.protocol import TensorData
from ir_models import ELEMENT_TYPES, ir
from reference import Expected, compare
from reports import expectations, folders, reproduce
from reports.outcomes import Gate, Outcome
from reports.results import Writer, failures_folder
from tests.conformance.selection import Selection, Target

PROJECT = "openvino-layer-conformance"


# How many failure folders a run writes at most, and 40 for any other reason, such as an answer that is merely coarse.
FOLDERS = {Gate.DEPARTURE: 200, Gate.EXPECTED: 200}


class Recorder:
    """Knows what was expected, and where results and failure folders go."""

    def __init__(
        self, selection: Selection, path: Path, facts: Mapping[str, Any], share: int = 1
    ) -> None:
        """``facts`` are what each target's device says of itself, by the target's name; ``share`` processes share the
        budget of failure folders."""
        self.path, self.facts, self.selection = path, facts, selection
        self.folders = failures_folder(path)
        self.header = header(selection, facts)
        self.expectations = {t.device: expectations.load_for(t.device) for t in selection.targets}
        # Each has its own: a departure must not go without a folder because many were expected or merely coarse.
        self.budgets = {
            gate: folders.FolderBudget(number=max(number // share, 4))
            for gate, number in {**dict.fromkeys(Gate, 40), **FOLDERS}.items()
        }
        self.writer: Writer | None = None
        self.finished: set[tuple[str, str, str]] = set()

    def open(self) -> None:
        """Start the results file, or go on with it. Raises ResultsError."""
        make = Writer.resume if self.selection.resume else Writer.create
        self.writer = make(self.path, self.header)
        self.finished = set(self.writer.finished)

    def add(self, record: dict[str, Any]) -> None:
        """Write one record."""
        assert self.writer is not None
        self.writer.append(record)

    def expected_of(self, record: Mapping[str, Any]) -> expectations.Entry | None:
        """The expectation about a record."""
        facts = expectations.facts(self.header, record["device"], record["profile"])
        return self.expectations[record["device"]].match(record, facts)


def is_of_a_case(report: pytest.TestReport) -> bool:
    """Whether a record came with a report; with other tests' reports none does."""
    return hasattr(report, "conformance")


def told_by(report: pytest.TestReport) -> dict[str, Any] | None:
    """The record that came with a report, if any."""
    text = getattr(report, "conformance", None)
    return None if text is None else json.loads(text)


def header(selection: Selection, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The first line of a results file."""
    versions = {f.get("openvino", "") for f in facts.values()} - {""}
    return {
        "suite": _version(),
        "openvino": ", ".join(sorted(versions)) or "unknown",
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seed": selection.seed,
        "random": selection.random,
        "selection": selection.facts(),
        "targets": [_target_facts(t, facts.get(t.name, {})) for t in selection.targets],
    }


def _target_facts(target: Target, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "device": target.device,
        "profile": target.profile.name,
        "full_name": facts.get("full_name", ""),
        "driver": facts.get("driver", ""),
        "settings": {**target.profile.settings, **facts.get("settings", {})},
    }


def _version() -> str:
    try:
        return metadata.version(PROJECT)
    except metadata.PackageNotFoundError:
        return "unknown"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not a Linux machine
    return platform.processor() or platform.machine()


def record_of(verdict: Verdict, target: Target, recorder: Recorder) -> dict[str, Any]:
    """The line of results for one case; writes its failure folder where it is not a pass."""
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
        shapes = (
            [e.value.shape for e in verdict.evidence.expected[0]] if _answered(verdict) else None
        )
        record["xml"] = ir.layer_xml(case, shapes)
    if verdict.evidence is not None:
        record["folder"] = _write_folder(record, verdict, verdict.evidence, target, recorder)
    return record


def _answered(verdict: Verdict) -> bool:
    return verdict.evidence is not None and bool(verdict.evidence.expected)


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


def _write_folder(
    record: dict[str, Any],
    verdict: Verdict,
    evidence: Evidence,
    target: Target,
    recorder: Recorder,
) -> str:
    question, reply = evidence.question, evidence.reply
    inputs = [[_stored(name, tensor) for name, tensor in feed.items()] for feed in question.feeds]
    types = [t.name for t in verdict.case.operation.output_types(verdict.case.layer)]
    told = _as_told(verdict, evidence)
    expected = [
        [
            _stored(name, TensorData.of(_in_type(right.value, kind), kind))
            for name, kind, right in zip(question.results, types, outputs, strict=True)
        ]
        for outputs in told
    ]
    allowed = None
    if any(right.gate is not None for outputs in told for right in outputs):
        allowed = [
            [
                _bound(name, right, verdict.outcome)
                for name, right in zip(question.results, outputs, strict=True)
            ]
            for outputs in told
        ]
    actual = None
    if reply is not None and reply.outputs:
        actual = [
            [_stored(n, t) for n, t in zip(question.results, outputs, strict=True)]
            for outputs in reply.outputs
        ]
    return folders.write(
        recorder.folders,
        record,
        model_xml=question.xml,
        # A reader refuses an empty file even where every constant is empty.
        model_bin=question.weights or bytes(64),
        inferences=inputs,
        expected=expected,
        allowed=allowed,
        actual=actual,
        settings=target.profile.for_device(target.device),
        environment=child_environment(target.profile.environment),
        memory=question.memory,
        requests=question.requests,
        budget=recorder.budgets[Gate(record["gate"])],
    )


def _in_type(value: np.ndarray, kind: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return value.astype(ELEMENT_TYPES[kind].dtype, copy=False)


def _as_told(verdict: Verdict, evidence: Evidence) -> list[list[Expected]]:
    """The right answers that are nearest to what came, where a page or the working precision leaves a choice."""
    reply = evidence.reply
    if reply is None or not reply.outputs or verdict.comparison is None:
        return evidence.expected
    told = []
    for expected, outputs in zip(evidence.expected, reply.outputs, strict=True):
        came = [tensor.values() for tensor in outputs]
        told.append(
            [_nearest(right.chosen(came), each) for right, each in zip(expected, came, strict=True)]
        )
    return told


def _nearest(right: Expected, came: np.ndarray) -> Expected:
    # Bit for bit there is one answer, however the inputs may be read.
    if right.gate is None or came.shape != right.value.shape:
        return right
    readings = [replace(right, others=()), *right.others]
    return min(readings, key=lambda each: compare(each, came).wrong)


def _bound(name: str, right: Expected, outcome: Outcome) -> folders.StoredTensor | None:
    """The largest errors allowed, of the tier that the outcome speaks of; None for bit for bit."""
    tier = right.quality if outcome is Outcome.QUALITY else right.gate
    if tier is None:
        return None
    size = np.abs(right.value.astype(np.float64))
    allowed = np.maximum(tier, np.where(size < right.flush, size, 0.0))
    return folders.StoredTensor(name, "f64", allowed.shape, allowed)


def _stored(name: str, tensor: TensorData) -> folders.StoredTensor:
    kind = tensor.element_type
    natural = kind in reproduce.NATURAL or kind == "string"
    raw = tensor.values() if natural else tensor.data
    return folders.StoredTensor(name, kind, tensor.shape, raw)


def worker_count(environment: Mapping[str, str] = os.environ) -> int:
    """How many processes of this run there are."""
    return int(environment.get("PYTEST_XDIST_WORKER_COUNT", "1"))
