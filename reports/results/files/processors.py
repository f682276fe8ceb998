"""Results of several processors in one place: which of them a case ran on.

A run's header names the processor, its lines do not. Where runs of several processors are read together, each record
gets the name of its own. Processors that answered the same cases are distinct targets: each has its own line, column
and heading. Shards that ran on different machines have no case in common, and stay one target.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from reports.results.records import CaseRecord, Header, Key

File = tuple[Sequence[Header], Sequence[CaseRecord]]
"""The headers of the runs themselves, and their records."""


class Processors:
    """Names the processors of the records of some files."""

    def __init__(self, files: Iterable[File]) -> None:
        files = list(files)
        self.names: dict[Key, str] = {}
        """The processor of the cases whose target is not told apart by processors, but has several."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for runs, _ in files:
            for target, names in _by_target(runs).items():
                found[target] |= names
        self._several = {target for target, names in found.items() if len(names) > 1}
        self._apart = self._told_apart(files) if self._several else set()

    def tells_apart(self, device: str, profile: str) -> bool:
        """Tell whether several processors answered cases of this target, so that each has its own line."""
        return (device, profile) in self._apart

    def _told_apart(self, files: Iterable[File]) -> set[tuple[str, str]]:
        """Return the devices and profiles where several processors answered one case."""
        first: dict[tuple[str, str, str], str] = {}
        apart = set()
        for runs, records in files:
            for record, name in _with_names(runs, records):
                target = record.device, record.profile
                is_of_several = name and target in self._several
                if is_of_several and first.setdefault((record.case, *target), name) != name:
                    apart.add(target)
        return apart

    def named(self, runs: Sequence[Header], records: Sequence[CaseRecord]) -> Iterable[CaseRecord]:
        """Yield the records of a file, with their processors where these are distinct."""
        if not self._several:
            yield from records
            return
        for record, name in _with_names(runs, records):
            target = record.device, record.profile
            if target not in self._several:
                yield record
            elif target in self._apart:
                yield with_processor(record, name)
            else:
                plain = with_processor(record, "")
                if name:
                    self.names[plain.key] = name
                yield plain


def with_processor(record: CaseRecord, name: str) -> CaseRecord:
    """Return a record, and those in conflict with it, with the name of the processor."""
    if record.processor == name:
        return record
    conflicts = [replace(other, processor=name) for other in record.conflicts]
    return replace(record, processor=name, conflicts=conflicts)


def _with_names(
    runs: Sequence[Header], records: Iterable[CaseRecord]
) -> Iterator[tuple[CaseRecord, str]]:
    """Yield each record of a file with the name of its processor; empty if several may be meant."""
    sole = {
        target: next(iter(names)) for target, names in _by_target(runs).items() if len(names) == 1
    }
    for record in records:
        yield record, record.processor or sole.get((record.device, record.profile), "")


def _by_target(runs: Iterable[Header]) -> dict[tuple[str, str], set[str]]:
    """The processors that runs name, by device and profile."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for header in runs:
        for target in header.targets:
            if name := header.processor_of(target):
                found[target.device, target.profile].add(name)
    return found
