"""Writes the evidence of a verdict as a failure folder: inputs, expected and actual outputs, and the allowed errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np

from devices import Evidence, Verdict
from devices.fork_client import child_environment
from devices.protocol import TensorData
from ir_models import ELEMENT_TYPES
from reference import Expected, compare
from reports.case_folder.tensors import NUMPY_TYPES, StoredTensor
from reports.case_folder.writing import CaseFiles, Inference
from reports.results import folders
from reports.results.folder_plan import FolderPlan
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from tests.conformance.selection import Target


def write_folder(
    root: Path,
    record: CaseRecord,
    verdict: Verdict,
    evidence: Evidence,
    target: Target,
    plan: FolderPlan,
    seed: int,
) -> str:
    """Write the failure folder of a case, if the plan has one for it. Returns its path below ``root``, or ""."""
    # What a folder holds takes long to prepare, and few departures have one.
    if plan.passes_over(record):
        return ""
    question, reply = evidence.question, evidence.reply
    cases = evidence.pack or [verdict.case]
    # The results of all cases, then the variables that are queried.
    types = [t.name for case in cases for t in case.result_types]
    types += [t.name for case in cases for t in case.queried_types]
    names = [*question.results, *question.queried]
    nearest = _nearest_expected(verdict, evidence)
    answered = reply.outputs if reply is not None else []
    inferences = [
        Inference(
            inputs=[_stored(name, tensor) for name, tensor in feed.items()],
            expected=[
                _stored(name, TensorData.of(_in_type(output.value, kind), kind))
                for name, kind, output in zip(names, types, expected, strict=True)
            ]
            if expected
            else [],
            allowed=[
                output.allowed_errors(quality=verdict.outcome is Outcome.QUALITY)
                for output in expected or ()
            ],
            together=[output.together is not None for output in expected or ()],
            actual=_actual(names, outputs or ()),
            states=[_stored(*each) for each in (turn.states if turn else {}).items()],
        )
        for feed, expected, outputs, turn in zip_longest(
            question.feeds, nearest, answered, question.turns
        )
    ]
    broken = verdict.case.broken_rule
    content = CaseFiles(
        case=verdict.case.id,
        seed=seed,
        model_xml=question.xml,
        model_bin=question.weights,
        inferences=inferences,
        settings=target.profile.for_device(target.device),
        environment=child_environment(target.profile.environment),
        invalid=verdict.case.is_invalid,
        broken_rule=broken.text if broken else "",
        memory=question.memory,
        requests=question.requests,
        turns=[
            {"request": turn.request, "before": turn.before, "at_once": turn.at_once}
            for turn in question.turns
        ],
        queried=question.queried,
    )
    return folders.write(root, record, content, plan)


def _actual(names: Sequence[str], outputs: Sequence[TensorData]) -> list[StoredTensor]:
    """What the device answered in one inference; nothing where a shape is one that no array has."""
    try:
        return [_stored(*each) for each in zip(names, outputs, strict=False)]
    except ValueError:
        return []


def _in_type(value: np.ndarray, kind: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return value.astype(ELEMENT_TYPES[kind].dtype, copy=False)


def _nearest_expected(verdict: Verdict, evidence: Evidence) -> list[list[Expected]]:
    """The admissible outputs that are nearest to the actual ones, by inference and output.

    There are several where the page or the precision of the computation allows a choice.
    """
    reply = evidence.reply
    if reply is None or not reply.outputs or (verdict.comparison is None and not evidence.pack):
        return evidence.expected
    cases = evidence.pack or [verdict.case]
    counts = [len(case.result_types) for case in cases]
    counts += [len(case.queried_types) for case in cases]
    nearest = []
    # Nothing is expected of invalid layers, and a device may stop before the last inference.
    for expected, outputs in zip(evidence.expected, reply.outputs, strict=False):
        pairs = iter(zip(expected, (tensor.values() for tensor in outputs), strict=True))
        found: list[Expected] = []
        for count in counts:
            found += _nearest_of_case(list(islice(pairs, count)))
        nearest.append(found)
    return nearest + evidence.expected[len(nearest) :]


def _nearest_of_case(pairs: list[tuple[Expected, np.ndarray]]) -> list[Expected]:
    """The nearest of each expected output of one case; as they are where an actual one has another shape."""
    if any(expected.value.shape != actual.shape for expected, actual in pairs):
        return [expected for expected, _ in pairs]
    actual = [values for _, values in pairs]
    return [_nearest(expected.chosen(actual), values) for expected, values in pairs]


def _nearest(expected: Expected, actual: np.ndarray) -> Expected:
    # An exact output has one value, however the inputs are rounded.
    if expected.gate is None or actual.shape != expected.value.shape:
        return expected
    readings = [replace(expected, others=()), *expected.others]
    return min(readings, key=lambda each: compare(each, actual).wrong)


def _stored(name: str, tensor: TensorData) -> StoredTensor:
    kind = tensor.element_type
    has_numpy_type = kind in NUMPY_TYPES or kind == "string"
    raw = tensor.values() if has_numpy_type else tensor.data
    return StoredTensor(name, kind, tensor.shape, raw)
