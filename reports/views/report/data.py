"""The report's data, from which its script draws: columns of all cases, and evidence for some."""

from __future__ import annotations

import math
import shlex
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from reports.gate.severity import SEVERITIES, of_record
from reports.results.explained.alike import reason_of
from reports.results.files.reading import Results
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import CaseRecord, Header, Key, WorstElement
from reports.results.shared.text import rounded
from reports.views.headline import NO_DEPARTURE, kind_of
from reports.views.report.evidence import evidence
from reports.views.report.model_text import readable

T = TypeVar("T", bound=Hashable)
USUAL = "usual"
"""Shown for cases that are run in the usual way."""
ONE_CASE = "results/one-case.jsonl"
"""Where the report's commands write the results of a case that is run again."""
# What a reader acts on comes first.
GATE_ORDER = [
    *RED,
    Gate.IMPROVED,
    Gate.REWORDED,
    Gate.NEW_CASE,
    Gate.KNOWN,
    Gate.EXPLAINED,
    Gate.ADDED,
    Gate.QUALITY,
    Gate.COMPILED,
    Gate.NOT_CLAIMED,
    Gate.SKIPPED,
    Gate.PASS,
]


def data(
    results: Results,
    records: Sequence[CaseRecord],
    targets: Sequence[tuple[str, str]],
    beside: Path,
    examples: Sequence[int] = (),
    issues: Mapping[str, str] | None = None,
    room: int | None = None,
    groups: Mapping[Key, str] | None = None,
) -> dict[str, Any]:
    """Return all that the script draws from: see templates/shared.js and data.js for its use.

    ``examples`` are the numbers of the cases whose pictures are shown first. ``issues`` are the texts to file, by the
    id of their cause. ``room`` is for pictures and models, in bytes of JSON. ``groups`` are the groups of
    unexpected departures, and of what is due to them or to a known one.
    """
    names, columns = _columns(records, targets, groups or {})
    return {
        "names": names,
        "red": [str(gate) for gate in RED],
        "conforming": NO_DEPARTURE,
        "columns": columns,
        "commands": [suite_command(results.header(*target), *target) for target in targets],
        "issues": issues or {},
        "evidence": evidence(results, records, beside, examples, room),
        "conflicts": {
            number: [
                {"outcome": str(other.outcome), "detail": rounded(other.detail)}
                for other in record.conflicts
            ]
            for number, record in enumerate(records)
            if record.conflicts
        },
    }


def _columns(
    records: Sequence[CaseRecord],
    targets: Sequence[tuple[str, str]],
    groups: Mapping[Key, str],
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """The distinct values of each field; and for each case the index of its value among these.

    For fields that hardly repeat, such as the case, the second has the value itself.
    """
    chosen_from = {
        "operation": [record.operation for record in records],
        "category": [record.category for record in records],
        "type": [" ".join(sorted(types_of(record))) for record in records],
        "opset": [record.opset for record in records],
        "purpose": [record.purpose for record in records],
        "how": [record.how_text or USUAL for record in records],
        "kernel": [record.kernel for record in records],
        "precision": [record.precision for record in records],
        "outcome": [str(record.outcome) for record in records],
        "gate": [str(record.gate) for record in records],
        "severity": [severity_name(record) for record in records],
        "cause": [groups.get(record.key) or cause_name(record) for record in records],
        "counted": [kind_of(record) for record in records],
        "target": [_target_name(record.target) for record in records],
    }
    names: dict[str, list[Any]] = {
        field: sorted(set(values)) for field, values in chosen_from.items()
    }
    names["gate"] = [str(gate) for gate in GATE_ORDER]
    names["severity"] = ["", *SEVERITIES]
    names["outcome"] = [str(outcome) for outcome in Outcome]
    names["target"] = [_target_name(target) for target in targets]
    columns: dict[str, list[Any]] = {}
    for field, values in chosen_from.items():
        index = {name: number for number, name in enumerate(names[field])}
        columns[field] = [index[value] for value in values]
    for field in ("detail", "layer", "reason", "cause_class", "since", "explained_by"):
        names[field], columns[field] = _distinct(getattr(record, field) for record in records)
    names["detail"] = [rounded(text) for text in names["detail"]]
    layers, columns["layer_xml"] = _distinct(
        record.layer_xml
        or ("" if record.outcome is record.expected_outcome else record.graph.replace("; ", "\n"))
        for record in records
    )
    names["layer_xml"] = ["\n".join(readable(text)) for text in layers]
    elements, columns["worst"] = _distinct(record.worst for record in records)
    names["worst"] = [_worst(element) for element in elements]
    columns |= {
        "case": [record.case for record in records],
        "wrong": [record.wrong for record in records],
        "elements": [record.elements for record in records],
        "open": [record.open for record in records],
        "pack_size": [record.pack_size for record in records],
        "fraction": [_number(record.fraction) for record in records],
        "seconds": [_number(record.seconds) for record in records],
    }
    return names, columns


def types_of(record: CaseRecord) -> set[str]:
    """Return the element types of a case's inputs."""
    return {text.partition("[")[0] for text in record.inputs if "[" in text}


def cause_name(record: CaseRecord) -> str:
    """Return what the filter calls the cause, or the kind, of a departure; "" for other cases."""
    if record.gate.is_red:
        return reason_of(record)
    return (record.cause or record.reason) if record.gate.has_cause else ""


def severity_name(record: CaseRecord) -> str:
    """Return how bad a departure is, one of `SEVERITIES`; "" for other cases."""
    return of_record(record).kind if record.gate.is_red or record.gate.has_cause else ""


def _distinct(values: Iterable[T]) -> tuple[list[T], list[int]]:
    """Return the distinct values in the order of their first appearance, and the index of each value."""
    index: dict[T, int] = {}
    numbers = [index.setdefault(value, len(index)) for value in values]
    return list(index), numbers


def _target_name(target: tuple[str, str]) -> str:
    return " · ".join(target)


def _number(value: float | None) -> float | str | None:
    """Return a number for JSON: infinity and NaN as the text that JavaScript's Number reads."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"


def _worst(worst: WorstElement | None) -> dict[str, Any] | None:
    if worst is None:
        return None
    return {
        "output": worst.output,
        "index": f"[{', '.join(map(str, worst.index))}]",
        "expected": worst.expected,
        "actual": worst.actual,
        "low": worst.low,
        "high": worst.high,
    }


def suite_command(header: Header, device: str, profile: str) -> dict[str, str]:
    """Return a shell command that runs cases of a target, and the prefix of their pytest node ids.

    It runs in the suite's checkout, with the seed of the run, and leaves the results of other runs alone.
    """
    target = header.target(device, profile)
    # Without the processor, which is no part of the question.
    profile = target.profile if target else profile
    name = device if profile == "accuracy" else f"{device}({profile})"
    words = ["pytest", "--device", device, "--profile", profile]
    if header.seed:
        words += ["--seed", str(header.seed)]
    words += ["--results", ONE_CASE]
    return {"command": shlex.join(words), "node": f"tests/conformance/test_layers.py::{name}::"}
