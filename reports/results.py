"""Results files: JSON Lines, a header per run and then one line per case (schema 1).

A run appends each line as its case ends, so a run cut off anywhere loses nothing that had
finished. The identity of a result is (case, device, profile); within one file a later line
replaces an earlier one, so a rerun or a resumed run corrects what stands before it.

`results.schema.json`, beside this module, publishes the format; unknown keys are kept.
"""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from reports.outcomes import Gate, Outcome

SCHEMA = 1
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")

Key = tuple[str, str, str]
"""The identity of a result: (case, device, profile)."""


class ResultsError(ValueError):
    """A results file cannot be read, or cannot be continued."""


@dataclass(frozen=True)
class _Field:
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
_REQUIRED_TEXT = _Field((str,), required=True)
_OPTIONAL_TEXT = _Field((str,), default="")

_HEADER_FIELDS = {
    "suite": _REQUIRED_TEXT,
    "openvino": _REQUIRED_TEXT,
    "python": _OPTIONAL_TEXT,
    "platform": _OPTIONAL_TEXT,
    "processor": _OPTIONAL_TEXT,
    "started": _OPTIONAL_TEXT,
    "seed": _Field((int, _NONE)),
    "random": _Field((int, _NONE)),
    "selection": _Field((dict, _NONE)),
    "targets": _Field((list,), required=True),
}
_TARGET_FIELDS = {
    "device": _REQUIRED_TEXT,
    "profile": _REQUIRED_TEXT,
    "full_name": _OPTIONAL_TEXT,
    "driver": _OPTIONAL_TEXT,
    "settings": _Field((dict,), default={}),
}
_CASE_FIELDS = {
    "case": _REQUIRED_TEXT,
    "operation": _REQUIRED_TEXT,
    "category": _OPTIONAL_TEXT,
    "opset": _OPTIONAL_TEXT,
    "purpose": _REQUIRED_TEXT,
    "device": _REQUIRED_TEXT,
    "profile": _REQUIRED_TEXT,
    "outcome": _Field((str,), required=True, values=tuple(str(one) for one in Outcome)),
    "wanted": _Field((str,), default="", values=("", *(str(one) for one in Outcome))),
    "detail": _REQUIRED_TEXT,
    "seconds": _Field((int, float), required=True),
    "kernel": _REQUIRED_TEXT,
    "precision": _REQUIRED_TEXT,
    "pack": _Field((int, _NONE)),
    "gate": _Field((str,), required=True, values=tuple(str(one) for one in Gate)),
    "reason": _OPTIONAL_TEXT,
    "fraction": _Field((int, float, _NONE)),
    "worst": _Field((dict, _NONE)),
    "wrong": _Field((int, _NONE)),
    "of": _Field((int, _NONE)),
    "xml": _OPTIONAL_TEXT,
    "asked": _OPTIONAL_TEXT,
    "folder": _OPTIONAL_TEXT,
}


@dataclass
class Results:
    """What one or several results files hold.

    Every record has all the keys of the schema: those left out of the file have their default.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)
    """The headers, in the files' order; a merged file's own header, and not those inside it."""
    records: list[dict[str, Any]] = field(default_factory=list)
    """One per (case, device, profile), in the order of first appearance."""
    paths: list[Path] = field(default_factory=list)
    _origins: dict[Key, Path] = field(default_factory=dict, repr=False)

    def folder(self, record: Mapping[str, Any]) -> Path | None:
        """Return where the record's failure folder should be, or None if it has none."""
        origin = self._origins.get(key(record))
        if origin is None or not record["folder"]:
            return None
        return failures_folder(origin) / record["folder"]

    def header(self, device: str, profile: str) -> dict[str, Any]:
        """Return the latest header that names this device and profile, else the last of all."""
        headers = list(leaf_headers(self.runs))
        for header in reversed(headers):
            if any(
                target["device"] == device and target["profile"] == profile
                for target in header["targets"]
            ):
                return header
        return headers[-1]

    def targets(self) -> list[tuple[str, str]]:
        """Return the (device, profile) pairs of the records, sorted."""
        return sorted({(record["device"], record["profile"]) for record in self.records})

    def openvino_versions(self, targets: Iterable[tuple[str, str]] | None = None) -> list[str]:
        """Return the versions that these targets, or all, ran with; without the build's number."""
        wanted = self.targets() if targets is None else targets
        headers = [self.header(*target) for target in wanted] or leaf_headers(self.runs)
        return sorted({short_version(header["openvino"]) for header in headers})


def key(record: Mapping[str, Any]) -> Key:
    """Return the identity of a result: (case, device, profile)."""
    return record["case"], record["device"], record["profile"]


def short_version(version: str) -> str:
    """Return ``2026.4.1`` of ``2026.4.1-21000-abcdef``."""
    return version.partition("-")[0]


def leaf_headers(runs: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the headers of the runs themselves: a merged header is replaced by those in it."""
    for header in runs:
        if "merged" in header:
            yield from leaf_headers(header["merged"])
        else:
            yield dict(header)


def failures_folder(path: Path) -> Path:
    """Return the folder of failure folders that belongs to the results file `path`."""
    stem = path.name[: -len(".jsonl")] if path.name.endswith(".jsonl") else path.name
    return path.with_name(f"{stem}.failures")


def canonical(value: object) -> str:
    """Return `value` as JSON that is the same for equal values: keys sorted, ASCII, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def load(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Results:
    """Read one or several results files.

    Where several files hold the same (case, device, profile), the records are joined as `merge`
    does it: the worst stands, and those that disagree with it are under its key "conflicts".

    Raises ResultsError, naming file and line, for anything that is not schema 1.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    results = Results()
    variants: dict[Key, list[tuple[dict[str, Any], Path]]] = {}
    for path in map(Path, paths):
        runs, records = _read(path)
        results.paths.append(path)
        results.runs += runs
        for identity, record in records.items():
            variants.setdefault(identity, []).append((record, path))
    if not results.paths:
        raise ResultsError("no results file given")
    for identity, found in variants.items():
        record = found[0][0] if len(found) == 1 else join([variant for variant, _ in found])
        results.records.append(record)
        results._origins[identity] = next(
            path for variant, path in found if _alone(record) in _variants(variant)
        )
    return results


def join(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Join results of one (case, device, profile) into one record.

    The order and grouping of the joins do not matter, and joining twice changes nothing: of the
    records that agree (outcome, gate and detail) the first in canonical JSON stands; of those
    that disagree the worst stands, and the others are listed under its key "conflicts".
    """
    by_answer: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in records:
        for variant in _variants(record):
            answer = _answer(variant)
            standing = by_answer.get(answer)
            if standing is None or canonical(variant) < canonical(standing):
                by_answer[answer] = variant
    worst, *others = sorted(by_answer.values(), key=_worst_first)
    return {**worst, "conflicts": others} if others else worst


def _variants(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the record itself, without its conflicts, and then those."""
    return [_alone(record), *record.get("conflicts", ())]


def _alone(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "conflicts"}


def _answer(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What must be equal for two results of one case to agree."""
    return record["outcome"], record["gate"], record["detail"]


def _worst_first(record: Mapping[str, Any]) -> tuple[bool, int, str]:
    """Sort key: departures before all else, then by badness, then by content."""
    departs = record["gate"] == Gate.DEPARTURE
    return not departs, -Outcome(record["outcome"]).badness, canonical(record)


def _read(path: Path) -> tuple[list[dict[str, Any]], dict[Key, dict[str, Any]]]:
    """Return a file's headers, and its records by identity, the last of each."""
    try:
        with path.open("rb") as file:
            return _parse_lines(path, file)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None


def _parse_lines(
    path: Path, lines: Iterable[bytes]
) -> tuple[list[dict[str, Any]], dict[Key, dict[str, Any]]]:
    runs: list[dict[str, Any]] = []
    records: dict[Key, dict[str, Any]] = {}
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        line = _parse(path, number, raw)
        if line["kind"] == "run":
            runs.append(line)
        elif not runs:
            raise ResultsError(
                f"{path}:{number}: the first line must be a run's header, got a case"
            )
        else:
            records[key(line)] = line
    if not runs:
        raise ResultsError(f"{path}: empty; a results file starts with a run's header")
    return runs, records


def _parse(path: Path, number: int, raw: bytes) -> dict[str, Any]:
    """Return one line as a checked object, or raise ResultsError with the place."""
    place = f"{path}:{number}"
    try:
        line = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        if not raw.endswith(b"\n"):
            raise ResultsError(
                f"{place}: the last line is cut off; run the suite again with --resume "
                f"on this file, it removes the cut line and completes the run"
            ) from None
        raise ResultsError(f"{place}: not JSON: {error}") from None
    try:
        return check(line)
    except ResultsError as error:
        raise ResultsError(f"{place}: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


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
    header = _check_fields(line, _HEADER_FIELDS)
    targets = []
    for target in header["targets"]:
        if not isinstance(target, dict):
            raise ResultsError(f'"targets" must hold objects, got {_excerpt(target)}')
        targets.append(_check_fields(target, _TARGET_FIELDS))
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
    record = _check_fields(line, _CASE_FIELDS)
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


def _check_fields(line: dict[str, Any], fields: Mapping[str, _Field]) -> dict[str, Any]:
    """Return a copy of `line` with the defaults of `fields`; raise ResultsError if one is off."""
    checked = dict(line)
    for name, wanted in fields.items():
        if name not in line:
            if wanted.required:
                raise ResultsError(f'required key "{name}" is missing')
            checked[name] = wanted.default
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


_STARTS = b'{"kind":"run",'
"""How every results file that a `Writer` starts begins."""


class Writer:
    """Appends results to a file, a line per case, each on disk before the next case starts.

    Use `create` for a new run and `resume` to go on with one that was cut off.
    """

    def __init__(self, file: BinaryIO, finished: set[Key]) -> None:
        self._file = file
        self.finished = finished
        """The (case, device, profile) of every result that the file holds."""

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Mapping[str, Any]) -> Writer:
        """Start a results file with `header`.

        A file of that name, with its failure folders, is kept: it becomes `<name>.previous.jsonl`
        in place of the one before it.
        """
        path = Path(path)
        line = _line({"kind": "run", "schema": SCHEMA, **header})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _keep_previous(path)
            writer = cls(path.open("xb"), set())
            writer._write(line)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be written: {error.strerror}") from None
        return writer

    @classmethod
    def resume(cls, path: str | os.PathLike[str], header: Mapping[str, Any]) -> Writer:
        """Go on with a results file; one that is not there, or has no header yet, is started.

        A last line that was cut off is removed. Raises ResultsError if the file is not a results
        file, or holds results of another OpenVINO version than the header's.
        """
        path = Path(path)
        line = _line({"kind": "run", "schema": SCHEMA, **header, "resumed": True})
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return cls.create(path, header)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
        whole = _whole_lines(content)
        try:
            if not whole.strip() and _STARTS.startswith(content[: len(_STARTS)]):
                path.unlink()  # Cut off inside its very header: nothing is lost.
                return cls.create(path, header)
            # All of it is checked before anything is cut: it may be no results file at all.
            runs, records = _parse_lines(path, io.BytesIO(whole))
            _check_same_openvino(path, runs, header)
            if len(whole) < len(content):
                os.truncate(path, len(whole))
            writer = cls(path.open("ab"), set(records))
            writer._write(whole[len(content) :] + line)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be written: {error.strerror}") from None
        return writer

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one result. ResultsError if it breaks the schema; then nothing is written.

        An infinite `fraction` is written as the largest double, JSON having no infinity.
        """
        self._write(_line({"kind": "case", **record}))
        self.finished.add(key(record))

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _line(line: dict[str, Any]) -> bytes:
    """Return a checked line as bytes, newline included."""
    fraction = line.get("fraction")
    if isinstance(fraction, float) and not math.isfinite(fraction):
        line = {
            **line,
            "fraction": None
            if math.isnan(fraction)
            else math.copysign(sys.float_info.max, fraction),
        }
    check(line)
    try:
        return json.dumps(line, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    except (TypeError, ValueError) as error:
        raise ResultsError(f"a result that JSON cannot hold: {error}") from None


def _check_same_openvino(
    path: Path, runs: Iterable[Mapping[str, Any]], header: Mapping[str, Any]
) -> None:
    """Raise ResultsError if the runs of the file are of another OpenVINO than the header's."""
    for run in leaf_headers(runs):
        if run["openvino"] != header["openvino"]:
            raise ResultsError(
                f"{path}: holds results of OpenVINO {run['openvino']}, and this is "
                f"{header['openvino']}: give another results file, or leave out --resume"
            )


def _whole_lines(content: bytes) -> bytes:
    """Return `content` without a last line that was cut off."""
    complete, newline, last = content.rpartition(b"\n")
    try:
        json.loads(last)
    except ValueError:
        return complete + newline
    return content + b"\n"


def _keep_previous(path: Path) -> None:
    """Move a results file and its failure folders out of the way of a new run."""
    if not path.exists():
        return
    if path.stat().st_size == 0:
        path.unlink()
        return
    stem = path.name[: -len(".jsonl")] if path.name.endswith(".jsonl") else path.name
    previous = path.with_name(f"{stem}.previous.jsonl")
    os.replace(path, previous)
    shutil.rmtree(failures_folder(previous), ignore_errors=True)
    if failures_folder(path).is_dir():
        os.replace(failures_folder(path), failures_folder(previous))
