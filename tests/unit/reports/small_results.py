"""Small results files for the tests of reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ir_models.asking.id_parts import split_id
from reports.results.outcomes import Gate, Outcome
from reports.results.records import SCHEMA, CaseRecord, Header, Line, Target

HOSTILE = "<script>alert(1)</script> | `b` \\| \"q\" 'r'\n\x1b[31mred\u2028\u202e\ud800 *x* [a](b)"


def header(
    openvino: str = "2026.4.1-21000-abc",
    devices: Iterable[str] = ("CPU",),
    profiles: Iterable[str] = ("accuracy",),
    **other: Any,
) -> Header:
    targets = [
        Target(
            device=device,
            profile=profile,
            full_name=f"A {device} of the test's",
            driver="1.2.3",
            settings={"INFERENCE_PRECISION_HINT": "f32"},
        )
        for device in devices
        for profile in profiles
    ]
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "suite": "0.1.0",
        "openvino": openvino,
        "python": "3.11.7",
        "platform": "Linux",
        "processor": "Some AMX processor",
        "started": "2026-01-02T03:04:05+00:00",
        "seed": 0,
        "random": 10,
        "targets": targets,
    }
    return Header(**{**fields, **other})


def record(
    case: str = "SpaceToDepth-1/example/f32[5,7,4,6]/block_size=2,mode=blocks_first",
    outcome: str = "PASS",
    gate: str | None = None,
    **other: Any,
) -> CaseRecord:
    """A record, with the parts of its id as fields.

    Values of wrong types are taken as they are, for files that cannot be read.
    """
    operation, _, rest = case.partition("/")
    if gate is None:
        gate = {"PASS": "pass", "QUALITY": "quality"}.get(outcome, "new")
    fields: dict[str, Any] = {
        "case": case,
        "operation": operation,
        "category": "movement",
        "opset": "opset1",
        "purpose": rest.partition("/")[0],
        "device": "CPU",
        "profile": "accuracy",
        "outcome": Outcome(outcome) if outcome in Outcome.__members__ else outcome,
        "detail": "" if outcome == "PASS" else f"what {outcome} means here",
        "seconds": 0.001,
        "kernel": "jit_avx512_FP32",
        "precision": "f32",
        "pack_size": 97,
        "gate": Gate(gate) if gate in list(Gate) else gate,
    }
    with suppress(ValueError):
        parts = split_id(case)
        fields |= {"how": parts.how, "inputs": list(parts.inputs), "parameters": parts.parameters}
    return CaseRecord(**{**fields, **other})


def as_json(line: Line | Mapping[str, Any] | object) -> Any:
    """The JSON object of a line."""
    return msgspec.to_builtins(line)


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(as_json(line)) + "\n" for line in lines), encoding="utf-8")
    return path
