"""What passes although a cover with ``varies`` selects it: ``reports/expectations/<device>.passing.tsv``.

Of the cases of such a cover some fail, and some pass by their data. With the same data, kernels and release those that
passed must pass again: a line for each holds the case id and, behind a tab, the runs in which it passed, such as
``2026.4 dynamic avx512+vnni``: the release, the precision that the device says it computes in, the instruction set;
``+fp16`` behind it where the case has f16, and the processor computes in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from reports.case_lines import read, read_for
from reports.expectation_files import DIRECTORY, paths_for
from reports.expectations import Decision, Expectations, facts
from reports.known import SEED, SEPARATOR
from reports.records import CaseRecord, Header
from reports.results import short_version

SUFFIX = ".passing.tsv"

PASSES = "passes"
"""What is known of such a case."""

Passing = Mapping[str, frozenset[str]]
"""The runs in which a case passes, by its id."""


_F16 = re.compile(r"\bf16\b")


def run_of(header: Header, record: CaseRecord) -> str:
    """Return what decides of a run whether a case passes, besides its data."""
    target = header.target(*record.target)
    precision = target.settings.get("INFERENCE_PRECISION_HINT", "") if target else ""
    isa = target.isa if target else ""
    if target and "FP16" in target.capabilities and _F16.search(record.case):
        isa += "+fp16"
    parts = short_version(header.openvino).split(".")[:2]
    return f"{'.'.join(parts)} {precision or '-'} {isa or '-'}"


def path_for(device: str, directory: str | os.PathLike[str]) -> Path:
    """Return the path of a device's file, whether or not it exists."""
    return paths_for(device, directory)[0].with_suffix(SUFFIX)


def load(path: Path) -> dict[str, frozenset[str]]:
    """Read a file; one that does not exist is empty. Raises ExpectationsError with the line."""
    return read(path, _runs, "a case id and runs, separated by a tab")


def _runs(text: str) -> frozenset[str]:
    if not text or "\t" in text:
        raise ValueError
    return frozenset(text.split(SEPARATOR))


def load_for(device: str, directory: str | os.PathLike[str] = DIRECTORY) -> Passing:
    """Return what passes on a device."""
    return read_for(device, directory, SUFFIX, load)


def broken(
    passing: Passing, record: CaseRecord, decision: Decision | None, header: Header
) -> str | None:
    """Return ``PASSES`` for a departure of a case that is known to pass in such a run, else None."""
    if decision is None or not _counts(decision) or header.seed != SEED:
        return None
    return PASSES if run_of(header, record) in passing.get(record.case, ()) else None


def joined(
    passing: Passing,
    records: Iterable[CaseRecord],
    header_of: Callable[[str, str], Header],
    expectations: Expectations,
) -> dict[str, frozenset[str]]:
    """Return what is known to pass after accepting these results: of other runs nothing changes.

    ``header_of`` gives the header of a device and a profile.
    """
    found = dict(passing)
    for record in records:
        header = header_of(*record.target)
        if header.seed != SEED:
            continue
        run = frozenset((run_of(header, record),))
        before = found.pop(record.case, frozenset())
        known = facts(header, *record.target)
        passes = record.conforms and any(map(_counts, expectations.selecting(record, known)))
        if after := before | run if passes else before - run:
            found[record.case] = after
    return found


def _counts(decision: Decision) -> bool:
    """Tell whether a cover selects by more than the case, and yet does not change from run to run."""
    return bool(decision.cover.varies) and not decision.by_chance


def as_text(passing: Passing) -> str:
    """Return the text of a file, sorted by case id; ids that a line cannot hold are left out."""
    lines = ["# Case that passes beside known failures, and the runs in which it does."]
    for case, runs in sorted(passing.items()):
        if case.isprintable():
            lines.append(f"{case}\t{SEPARATOR.join(sorted(runs))}")
    return "\n".join(lines) + "\n"
