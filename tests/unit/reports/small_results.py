"""Small results files for the tests of reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HOSTILE = "<script>alert(1)</script> | `b` \\| \"q\" 'r'\n\x1b[31mred\u2028\u202e\ud800 *x* [a](b)"


def header(
    openvino: str = "2026.4.1-21000-abc",
    devices: Iterable[str] = ("CPU",),
    profiles: Iterable[str] = ("accuracy",),
    **other: Any,
) -> dict[str, Any]:
    targets = [
        {
            "device": device,
            "profile": profile,
            "full_name": f"A {device} of the test's",
            "driver": "1.2.3",
            "settings": {"INFERENCE_PRECISION_HINT": "f32"},
        }
        for device in devices
        for profile in profiles
    ]
    return {
        "kind": "run",
        "schema": 1,
        "suite": "0.1.0",
        "openvino": openvino,
        "python": "3.11.7",
        "platform": "Linux",
        "processor": "Some AMX processor",
        "started": "2026-01-02T03:04:05+00:00",
        "seed": 0,
        "random": 10,
        "selection": {},
        "targets": targets,
        **other,
    }


def record(
    case: str = "SpaceToDepth-1/example/f32[5,7,4,6]/block_size=2,mode=blocks_first",
    outcome: str = "PASS",
    gate: str | None = None,
    **other: Any,
) -> dict[str, Any]:
    operation, _, rest = case.partition("/")
    if gate is None:
        gate = {"PASS": "pass", "QUALITY": "quality"}.get(outcome, "departure")
    return {
        "kind": "case",
        "case": case,
        "operation": operation,
        "category": "movement",
        "opset": "opset1",
        "purpose": rest.partition("/")[0],
        "device": "CPU",
        "profile": "accuracy",
        "outcome": outcome,
        "detail": "" if outcome == "PASS" else f"what {outcome} means here",
        "seconds": 0.001,
        "kernel": "jit_avx512_FP32",
        "precision": "f32",
        "pack": 97,
        "gate": gate,
        "reason": "",
        "fraction": None,
        "worst": None,
        "wrong": None,
        "of": None,
        "xml": "",
        "asked": "data f32[5,7,4,6]; block_size=2; mode=blocks_first",
        "folder": "",
        **other,
    }


def write(path: Path, *lines: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
