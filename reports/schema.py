"""The lines of a results file (schema 1): what each key holds, and whether a line keeps to it.

`results.schema.json`, beside this module, publishes the same; unknown keys are kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.outcomes import Gate, Outcome

SCHEMA = 1
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")

Key = tuple[str, str, str]
"""The identity of a result: (case, device, profile)."""


class ResultsError(ValueError):
    """A results file cannot be read, or cannot be continued."""


def key(record: Mapping[str, Any]) -> Key:
    """Return the identity of a result: (case, device, profile)."""
    return record["case"], record["device"], record["profile"]


@dataclass(frozen=True)
class Field:
    """One key of a line: the types it admits, and what it is when left out."""

    types: tuple[type, ...]
    required: bool = False
    default: Any = None
    values: tuple[str, ...] = ()

    def complaint(self, value: object) -> str | None:
        """Say what is wrong with `value`, or None."""
        # JSON's true is Python's int 1: it is never a number here.
        if not isinstance(value, self.types) or (
            isinstance(value, bool) and bool not in self.types
        ):
            wanted = " or ".join(_JSON_NAMES[kind] for kind in self.types)
            return f"must be {wanted}, got {_excerpt(value)}"
        if self.values and value not in self.values:
            return f"must be one of {', '.join(self.values)}, got {_excerpt(value)}"
        return None


_NONE = type(None)
_JSON_NAMES = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    _NONE: "null",
}
_REQUIRED_TEXT = Field((str,), required=True)
_OPTIONAL_TEXT = Field((str,), default="")

HEADER_FIELDS = {
    "suite": _REQUIRED_TEXT,
    "openvino": _REQUIRED_TEXT,
    "python": _OPTIONAL_TEXT,
    "platform": _OPTIONAL_TEXT,
    "processor": _OPTIONAL_TEXT,
    "started": _OPTIONAL_TEXT,
    "seed": Field((int, _NONE)),
    "random": Field((int, _NONE)),
    "selection": Field((dict, _NONE)),
    "targets": Field((list,), required=True),
}
TARGET_FIELDS = {
    "device": _REQUIRED_TEXT,
    "profile": _REQUIRED_TEXT,
    "full_name": _OPTIONAL_TEXT,
    "driver": _OPTIONAL_TEXT,
    "settings": Field((dict,), default={}),
}
CASE_FIELDS = {
    "case": _REQUIRED_TEXT,
    "operation": _REQUIRED_TEXT,
    "category": _OPTIONAL_TEXT,
    "opset": _OPTIONAL_TEXT,
    "purpose": _REQUIRED_TEXT,
    "device": _REQUIRED_TEXT,
    "profile": _REQUIRED_TEXT,
    "outcome": Field((str,), required=True, values=tuple(str(one) for one in Outcome)),
    "wanted": Field((str,), default="", values=("", *(str(one) for one in Outcome))),
    "detail": _REQUIRED_TEXT,
    "seconds": Field((int, float), required=True),
    "kernel": _REQUIRED_TEXT,
    "precision": _REQUIRED_TEXT,
    "pack": Field((int, _NONE)),
    "gate": Field((str,), required=True, values=tuple(str(one) for one in Gate)),
    "reason": _OPTIONAL_TEXT,
    "fraction": Field((int, float, _NONE)),
    "worst": Field((dict, _NONE)),
    "wrong": Field((int, _NONE)),
    "of": Field((int, _NONE)),
    "xml": _OPTIONAL_TEXT,
    "asked": _OPTIONAL_TEXT,
    "folder": _OPTIONAL_TEXT,
}


def check(line: object) -> dict[str, Any]:
    """Return a line of a results file with defaults filled in, or raise ResultsError."""
    if not isinstance(line, dict):
        raise ResultsError(f"a line must be an object, got {_excerpt(line)}")
    kind = line.get("kind")
    if kind == "run":
        return _check_header(line)
    if kind == "case":
        return _check_case(line)
    raise ResultsError(f'"kind" must be "run" or "case", got {_excerpt(kind)}')


def _check_header(line: dict[str, Any]) -> dict[str, Any]:
    schema = line.get("schema")
    if type(schema) is not int or schema != SCHEMA:
        raise ResultsError(
            f"results of schema {_excerpt(schema)}; this version of the suite reads "
            f"schema {SCHEMA} only: run the suite again, or report with the version that wrote it"
        )
    header = _check_fields(line, HEADER_FIELDS)
    targets = []
    for target in header["targets"]:
        if not isinstance(target, dict):
            raise ResultsError(f'"targets" must hold objects, got {_excerpt(target)}')
        targets.append(_check_fields(target, TARGET_FIELDS))
    header["targets"] = targets
    if "merged" in header:
        merged = header["merged"]
        if not isinstance(merged, list) or not merged:
            raise ResultsError(f'"merged" must be a list of headers, got {_excerpt(merged)}')
        header["merged"] = [check(inner) for inner in merged]
        if any(inner["kind"] != "run" for inner in header["merged"]):
            raise ResultsError('"merged" must hold headers of runs, got a case')
    return header


def _check_case(line: dict[str, Any]) -> dict[str, Any]:
    record = _check_fields(line, CASE_FIELDS)
    for name in ("case", "operation", "device"):
        if not record[name]:
            raise ResultsError(f'"{name}" must not be empty')
    worst = record["worst"]
    if worst is not None:
        _check_worst(worst)
    if "conflicts" in record:
        conflicts = record["conflicts"]
        if not isinstance(conflicts, list):
            raise ResultsError(f'"conflicts" must be a list, got {_excerpt(conflicts)}')
        record["conflicts"] = [check(inner) for inner in conflicts]
        if any(
            inner["kind"] != "case" or key(inner) != key(record) for inner in record["conflicts"]
        ):
            raise ResultsError('"conflicts" must hold results of the same case')
    return record


def _check_worst(worst: dict[str, Any]) -> None:
    index = worst.get("index", [])
    if not isinstance(index, list) or any(type(place) is not int for place in index):
        raise ResultsError(f'"worst": "index" must be a list of integers, got {_excerpt(index)}')
    for name in ("expected", "actual", "low", "high"):
        if not isinstance(worst.get(name, ""), str):
            raise ResultsError(f'"worst": "{name}" must be a string, got {_excerpt(worst[name])}')


def _check_fields(line: dict[str, Any], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return a copy of `line` with the defaults of `fields`; raise ResultsError if one is off."""
    checked = dict(line)
    for name, wanted in fields.items():
        if name not in line:
            if wanted.required:
                raise ResultsError(f'required key "{name}" is missing')
            checked[name] = copy(wanted.default)
            continue
        value = line[name]
        if type(value) in wanted.types and not wanted.values:
            continue  # As nearly all are; 50,000 lines have a million values.
        complaint = wanted.complaint(value)
        if complaint:
            raise ResultsError(f'"{name}" {complaint}')
    return checked


def _excerpt(value: object) -> str:
    """Return a value as short, printable JSON for an error message."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= 60 else text[:57] + "..."
