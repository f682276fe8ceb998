"""Results files read: JSON Lines, a header per run and then one line per case.

The identity of a result is (case, device, profile, processor). Within a run a later line replaces an earlier one, so
that a resumed run corrects what it repeats; runs in one file count as if each had a file of its own. Processors are
distinct targets where they answered the same cases (see `reports.results.files.processors`). `reports.results.records`
declares what a line holds, `reports.results.files.writer` writes the files.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from reports.results.explained.explanations import explained, unexplained
from reports.results.files.conflicts import (
    join,
    single_results,
    with_added,
    without_conflicts,
)
from reports.results.files.processors import Processors
from reports.results.outcomes import Gate
from reports.results.records import (
    NOT_ENDED,
    CaseRecord,
    Header,
    Key,
    NotJsonError,
    ResultsError,
    Target,
    from_line,
    on_processor,
)
from reports.results.shared.text import listing


@dataclass
class Results:
    """What one or several results files hold."""

    runs: list[Header] = field(default_factory=list)
    """The headers, in the files' order; a merged file's own header, and not those inside it."""
    records: list[CaseRecord] = field(default_factory=list)
    """One per identity, in the order of first appearance."""
    paths: list[Path] = field(default_factory=list)
    empty: list[Path] = field(default_factory=list)
    """The files that have a header and no case, and are not of a shard, which may have none of a few cases."""
    cut: list[Path] = field(default_factory=list)
    """The files whose last line is cut off, and left out."""
    changed: list[CaseRecord] = field(default_factory=list)
    """Records whose gate is not that of their line, because of what explains them, or no longer does."""
    processors: dict[Key, str] = field(default_factory=dict, repr=False)
    """What ran the cases of several processors that asked different ones, and so are one target."""
    _origins: dict[Key, Path] = field(default_factory=dict, repr=False)

    def folder(self, record: CaseRecord) -> Path | None:
        """Return where the record's failure folder should be, or None if it has none."""
        root = self.failures(record) if record.folder else None
        return None if root is None else root / record.folder

    def failures(self, record: CaseRecord) -> Path | None:
        """Return the folder that the record's failure folder should be in, or None if unknown."""
        origin = self._origins.get(record.key)
        return None if origin is None else failures_folder(origin)

    def header(self, device: str, profile: str) -> Header:
        """Return the latest header that names this device and profile, else the last of all."""
        headers = list(leaf_headers(self.runs))
        for header in reversed(headers):
            if header.target(device, profile) is not None:
                return header
        return headers[-1]

    def target(self, device: str, profile: str) -> Target:
        """Return what is known about a device and profile: only their names if no header has them."""
        found = self.header(device, profile).target(device, profile)
        return found or Target(device=device, profile=profile)

    def targets(self) -> list[tuple[str, str]]:
        """Return the (device, profile) pairs of the records, sorted; see `CaseRecord.target`."""
        return sorted({record.target for record in self.records})

    def on_own_processor(self, device: str, profile: str) -> tuple[str, str]:
        """Return the device and profile with the processor that they ran on, or as they are if there are several."""
        found = set()
        for header in leaf_headers(self.runs):
            if target := header.target(device, profile):
                found.add(on_processor(target.profile, header.processor_of(target)))
        return (device, found.pop()) if len(found) == 1 else (device, profile)

    def kernels(self, device: str, profile: str) -> list[str]:
        """Return the instruction sets of the kernels that a device and profile ran with, as far as they are known."""
        targets = (header.target(device, profile) for header in leaf_headers(self.runs))
        return sorted({target.isa for target in targets if target and target.isa})

    def openvino_versions(self, targets: Iterable[tuple[str, str]] | None = None) -> list[str]:
        """Return the versions that these targets, or all, ran with; without build numbers."""
        selected = self.targets() if targets is None else targets
        headers = [self.header(*target) for target in selected] or leaf_headers(self.runs)
        return sorted({short_version(header.openvino) for header in headers})


def short_version(version: str) -> str:
    """Return ``2026.4.1`` of ``2026.4.1-21000-abcdef``."""
    return version.partition("-")[0]


def leaf_headers(runs: Iterable[Header]) -> Iterator[Header]:
    """Yield the headers of the runs themselves: a merged header is replaced by those in it."""
    for header in runs:
        if header.merged:
            yield from leaf_headers(header.merged)
        else:
            yield header


def stem(path: Path) -> str:
    """Return the file's name without ``.jsonl``."""
    return path.name.removesuffix(".jsonl")


def failures_folder(path: Path) -> Path:
    """Return the folder of failure folders that belongs to the results file `path`."""
    return path.with_name(f"{stem(path)}.failures")


def load(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, leave_out_cut: bool = False
) -> Results:
    """Read one or several results files. ``leave_out_cut``: a last line that is cut off is no error, and left out.

    Where several runs hold results of the same identity, the records are joined: the worst
    is kept, and those that disagree with it are its `conflicts` (see `reports.results.files.conflicts`).
    What explains departures is found anew among all records (see `reports.results.explained.explanations`).

    Raises ResultsError, naming file and line, for anything that is not a results file of this version of the format,
    and for results of one device and profile with several builds of OpenVINO, kernels or seeds.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    with without_garbage_collection():
        return _load(map(Path, paths), leave_out_cut)


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Do not look for cyclic garbage: there is none among records, and looking takes as long as reading."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_shard(header: Header) -> bool:
    return header.selection is not None and header.selection.shard != "1/1"


def _load(paths: Iterable[Path], leave_out_cut: bool) -> Results:
    results = Results()
    found: dict[Key, list[tuple[CaseRecord, Path]]] = {}
    written: dict[Key, list[CaseRecord]] = defaultdict(list)
    results.paths = [*paths]
    files = [
        (path, *run)
        for path in results.paths
        for run in _read(path, results.cut if leave_out_cut else None)
    ]
    if not files:
        raise ResultsError("no results file given")
    of_no_case = (
        path for path, runs, records in files if not records and not any(map(_is_shard, runs))
    )
    results.empty = [*dict.fromkeys(of_no_case)]
    results.runs = [header for _, runs, _ in files for header in runs]
    contents = [(list(leaf_headers(runs)), list(records.values())) for _, runs, records in files]
    processors = Processors(contents)
    results.processors = processors.names
    _check_alike(results.runs, processors)
    for (path, _, _), content in zip(files, contents, strict=True):
        for record in processors.named(*content):
            written[record.key].append(record)
            found.setdefault(record.key, []).append((unexplained(record), path))
    for identity, candidates in found.items():
        if len(candidates) == 1:
            ((record, origin),) = candidates
        else:
            # A case that one run added and another one selected is selected.
            is_added = all(one.added for one, _ in candidates)
            candidates = [(with_added(one, is_added), path) for one, path in candidates]
            record = join(candidate for candidate, _ in candidates)
            # Its digest stands for those of several.
            kept = replace(without_conflicts(record), digest="")
            origin = next(
                path
                for one, path in candidates
                if any(replace(each, digest="") == kept for each in single_results(one))
            )
        results.records.append(record)
        results._origins[identity] = origin
    results.records = explained(results.records)
    for record in results.records:
        before = [each.gate for each in written[record.key]]
        if record.gate not in before and Gate.EXPLAINED in (record.gate, *before):
            results.changed.append(record)
    return results


def _check_alike(runs: Iterable[Header], processors: Processors) -> None:
    """Raise ResultsError if a device has results of several builds, kernels or seeds: they would be counted as of one.

    Shards that ran on different processors may have kernels of their own: no case is one of several of them.
    """
    values: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for header in leaf_headers(runs):
        for target in header.targets:
            name = header.processor_of(target)
            shown = f"{target.device} ({target.profile})"
            on_own = f"{target.device} ({on_processor(target.profile, name)})"
            apart = on_own if processors.tells_apart(target.device, target.profile) else shown
            # Where every device of a run was absent, it does not tell the build, nor what the kernels are for.
            if header.openvino:
                values[shown, "", "OpenVINO"].add(header.openvino)
            if target.isa:
                values[apart, name, "instruction set"].add(target.isa)
            values[apart, "", "seed"].add(str(header.seed or 0))
    for (shown, _, what), found in values.items():
        if len(found) > 1:
            raise ResultsError(
                f"{shown} has results of {what} {listing(sorted(found))}, which cannot be joined in one table: "
                "`python -m reports compare` compares two such files, `python -m reports site` shows any number"
            )


def _read(path: Path, cut: list[Path] | None) -> list[RunInFile]:
    """Return what each of the runs in a file holds.

    Where the last line is cut off the path is added to ``cut``; without that it is an error.
    """
    try:
        with path.open("rb") as file:
            return runs_in(path, file if cut is None else _whole_lines(path, file, cut))
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None


def _whole_lines(path: Path, lines: Iterable[bytes], cut: list[Path]) -> Iterator[bytes]:
    for raw in lines:
        if _is_cut(raw) and _is_no_json(raw):
            cut.append(path)
        else:
            yield raw


def _is_cut(raw: bytes) -> bool:
    """Whether a line that is no JSON is the beginning of one that was."""
    return raw.startswith(b"{") and not raw.endswith(b"\n")


def _is_no_json(raw: bytes) -> bool:
    try:
        from_line(raw)
    except NotJsonError:
        return True
    except ResultsError:
        return False
    return False


class RunInFile(NamedTuple):
    """One of the runs that a file holds: its headers and records. The headers after the first one resume the run.

    A record that the run wrote again, as it does when it is resumed, replaces the one before it.
    """

    runs: list[Header]
    records: dict[Key, CaseRecord]


def runs_in(path: Path, lines: Iterable[bytes]) -> list[RunInFile]:
    """Return what each of the runs in a file holds: several if files were written one after the other.

    A run of a file that has lost lines since counts as cut off. `path` is only for messages. Raises ResultsError.
    """
    found: list[RunInFile] = []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        line = _parse(path, number, raw)
        if isinstance(line, Header):
            _end(found)
            if not (found and line.resumed):
                found.append(RunInFile([], {}))
            found[-1].runs.append(line)
        elif not found:
            raise ResultsError(
                f"{path}:{number}: the first line must be a run's header, got a case"
            )
        else:
            found[-1].records[line.key] = line
    if not found:
        raise ResultsError(f"{path}: empty; a results file starts with a run's header")
    _end(found)
    return found


def _end(found: Sequence[RunInFile]) -> None:
    """Let the last run count as cut off if lines of it were lost."""
    if found and found[-1].runs[-1].cases > len(found[-1].records):
        found[-1].runs[-1] = _as_cut(found[-1].runs[-1])


def _as_cut(run: Header) -> Header:
    return replace(run, ended=NOT_ENDED, merged=[_as_cut(each) for each in run.merged])


def _parse(path: Path, number: int, raw: bytes) -> Header | CaseRecord:
    try:
        return from_line(raw)
    except NotJsonError as error:
        if _is_cut(raw):
            raise ResultsError(
                f"{path}:{number}: the last line is cut off; run the suite again with --resume "
                f"on this file, it removes the cut line and completes the run"
            ) from None
        raise ResultsError(f"{path}:{number}: {error}") from None
    except ResultsError as error:
        raise ResultsError(f"{path}:{number}: {error}") from None
