"""Results files: JSON Lines, a header per run and then one line per case (schema 1).

A run appends each line as its case ends, so a run cut off anywhere loses nothing that had
finished. The identity of a result is (case, device, profile); within one file a later line
replaces an earlier one, so a rerun or a resumed run corrects what stands before it.

`reports.schema` says what a line holds.
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
from reports.schema import SCHEMA, Key, ResultsError, check, key


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
    """Move a results file and its failure folders out of the way of a new run.

    One without a result, as a run leaves it that selected nothing, takes no other's place.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.readline()
        has_results = bool(file.readline()) or not head.startswith(_STARTS)
    if not head or not has_results:
        path.unlink()
        return
    stem = path.name[: -len(".jsonl")] if path.name.endswith(".jsonl") else path.name
    previous = path.with_name(f"{stem}.previous.jsonl")
    os.replace(path, previous)
    shutil.rmtree(failures_folder(previous), ignore_errors=True)
    if failures_folder(path).is_dir():
        os.replace(failures_folder(path), failures_folder(previous))
