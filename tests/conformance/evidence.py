"""Writes the evidence of a verdict as a failure folder: inputs, expected and actual outputs, and the allowed errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from devices import Evidence, Verdict
from devices.fork_client import child_environment
from devices.protocol import TensorData
from ir_models import ELEMENT_TYPES
from reference import Expected, compare
from reports import folders, reproduce
from reports.outcomes import Outcome
from reports.records import CaseRecord
from tests.conformance.selection import Target


def write_folder(
    root: Path,
    record: CaseRecord,
    verdict: Verdict,
    evidence: Evidence,
    target: Target,
    budget: folders.FolderBudget,
) -> str:
    """Write the failure folder of a case, if the budget has room. Returns its path below ``root``, or ""."""
    question, reply = evidence.question, evidence.reply
    inputs = [[_stored(name, tensor) for name, tensor in feed.items()] for feed in question.feeds]
    types = [t.name for t in verdict.case.operation.output_types(verdict.case.layer)]
    nearest = _nearest_expected(verdict, evidence)
    expected = [
        [
            _stored(name, TensorData.of(_in_type(output.value, kind), kind))
            for name, kind, output in zip(question.results, types, outputs, strict=True)
        ]
        for outputs in nearest
    ]
    allowed = None
    if any(output.gate is not None for outputs in nearest for output in outputs):
        allowed = [
            [
                _allowed_error(name, output, verdict.outcome)
                for name, output in zip(question.results, outputs, strict=True)
            ]
            for outputs in nearest
        ]
    actual = None
    if reply is not None and reply.outputs:
        actual = [
            [_stored(n, t) for n, t in zip(question.results, outputs, strict=True)]
            for outputs in reply.outputs
        ]
    return folders.write(
        root,
        record,
        model_xml=question.xml,
        # OpenVINO refuses to read an empty file, even where every constant is empty.
        model_bin=question.weights or bytes(64),
        inferences=inputs,
        expected=expected,
        allowed=allowed,
        actual=actual,
        settings=target.profile.for_device(target.device),
        environment=child_environment(target.profile.environment),
        memory=question.memory,
        requests=question.requests,
        budget=budget,
    )


def _in_type(value: np.ndarray, kind: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return value.astype(ELEMENT_TYPES[kind].dtype, copy=False)


def _nearest_expected(verdict: Verdict, evidence: Evidence) -> list[list[Expected]]:
    """The admissible outputs that are nearest to the actual ones, by inference and output.

    There are several where the page or the precision of the computation allows a choice.
    """
    reply = evidence.reply
    if reply is None or not reply.outputs or verdict.comparison is None:
        return evidence.expected
    nearest = []
    for expected, outputs in zip(evidence.expected, reply.outputs, strict=True):
        actual = [tensor.values() for tensor in outputs]
        nearest.append(
            [
                _nearest(output.chosen(actual), values)
                for output, values in zip(expected, actual, strict=True)
            ]
        )
    return nearest


def _nearest(expected: Expected, actual: np.ndarray) -> Expected:
    # An exact output has one value, however the inputs are rounded.
    if expected.gate is None or actual.shape != expected.value.shape:
        return expected
    readings = [replace(expected, others=()), *expected.others]
    return min(readings, key=lambda each: compare(each, actual).wrong)


def _allowed_error(name: str, expected: Expected, outcome: Outcome) -> folders.StoredTensor | None:
    """The largest errors allowed by the quality bound for QUALITY, else by the gate's bound; None where exact."""
    tier = expected.quality if outcome is Outcome.QUALITY else expected.gate
    if tier is None:
        return None
    size = np.abs(expected.value.astype(np.float64))
    allowed = np.maximum(tier, np.where(size < expected.flush, size, 0.0))
    return folders.StoredTensor(name, "f64", allowed.shape, allowed)


def _stored(name: str, tensor: TensorData) -> folders.StoredTensor:
    kind = tensor.element_type
    has_numpy_type = kind in reproduce.NATURAL or kind == "string"
    raw = tensor.values() if has_numpy_type else tensor.data
    return folders.StoredTensor(name, kind, tensor.shape, raw)
