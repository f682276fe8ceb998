"""``python -m reports history``: operations over many runs, to find when one broke."""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reports.documents import Document, add_format_arguments, show
from reports.results.outcomes import Outcome
from reports.results.reading import Results, leaf_headers, load
from reports.results.records import CaseRecord, ResultsError
from reports.text import count, listing

Cases = dict[str, CaseRecord]
"""Records by case id."""


@dataclass(frozen=True)
class Run:
    """One column: a results file and its label."""

    label: str
    results: Results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports history``."""
    parser.description = (
        "Print a row per operation and a column per run (each file is one run), sorted by OpenVINO "
        "version and then by time. A cell is the share of cases that conform and the count of each "
        "departure, expected or not; ▼ counts cases that conformed in the previous run but not in "
        "this one, ▲ the opposite. Exit code: 0 printed, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files, one per run")
    add_format_arguments(parser, ("markdown", "html"))


def run(args: argparse.Namespace) -> int:
    """Print the history."""
    show(document(runs_in_order(map(load, args.results))), args, title="Conformance over releases")
    return 0


def runs_in_order(results: Iterable[Results]) -> list[Run]:
    """Return the runs from the oldest OpenVINO to the newest, each with a label of its own.

    The label is the OpenVINO version; for runs of the same version also the day, or the file if
    the day is the same too.
    """
    ordered = sorted(results, key=_age)
    versions = [" + ".join(one.openvino_versions()) for one in ordered]
    days = [
        f"{version} {_started(one)[:10]}" for version, one in zip(versions, ordered, strict=True)
    ]
    files = [
        f"{version} {listing([path.stem for path in one.paths])}"
        for version, one in zip(versions, ordered, strict=True)
    ]
    repeated, same_day = Counter(versions), Counter(days)
    labels = [
        version if repeated[version] == 1 else day if same_day[day] == 1 else file
        for version, day, file in zip(versions, days, files, strict=True)
    ]
    return [Run(label, one) for label, one in zip(labels, ordered, strict=True)]


def _age(results: Results) -> tuple[list[list[int]], str, list[str]]:
    numbers = [
        [int(part) for part in re.findall(r"\d+", version)]
        for version in results.openvino_versions()
    ]
    return numbers, _started(results), [str(path) for path in results.paths]


def _started(results: Results) -> str:
    return min(header.started for header in leaf_headers(results.runs))


def document(runs: Sequence[Run]) -> Document:
    """Return the history as a document, a table for each device and profile."""
    page = Document()
    page.heading("Conformance over runs", 1)
    targets = sorted({target for one in runs for target in one.results.targets()})
    if not targets:
        raise ResultsError("no case in any of the results files")
    page.paragraph(
        f"{count(len(runs), 'run')}, {runs[0].label} to {runs[-1].label}. A cell is the share of "
        "cases that conform and the count of each other outcome, expected or not. ▼ counts cases that "
        "conformed in the previous run but not in this one, ▲ cases that conform in this run but "
        "not in the previous one; – means that no case was run."
    )
    for target in targets:
        page.heading(f"{target[0]} ({target[1]})")
        columns = [_by_operation(one.results, target) for one in runs]
        page.table(["operation", *(one.label for one in runs)], _rows(columns), names=1)
    return page


def _by_operation(results: Results, target: tuple[str, str]) -> dict[str, Cases]:
    operations: dict[str, Cases] = defaultdict(dict)
    for record in results.records:
        if record.target == target:
            operations[record.operation][record.case] = record
            operations[TOTAL][record.case] = record
    return operations


TOTAL = "total"


def _rows(columns: Sequence[Mapping[str, Cases]]) -> list[list[str]]:
    operations = sorted(set().union(*columns) - {TOTAL})
    rows = []
    for operation in [*operations, TOTAL]:
        cells = []
        before: Cases = {}
        for column in columns:
            cases = column.get(operation, {})
            cells.append(_cell(cases, before))
            # After a run without the operation the next one is compared with the one before.
            before = cases or before
        rows.append([operation, *cells])
    return rows


def _cell(cases: Cases, before: Cases) -> str:
    if not cases:
        return "–"
    # A layer that compiled and whose values were not checked is none that conforms.
    departures = Counter(
        str(record.outcome)
        for record in cases.values()
        if not record.conforms or record.outcome is Outcome.COMPILED
    )
    share = _share(len(cases) - departures.total(), len(cases))
    named = [f"{departures[str(name)]:,} {name}" for name in Outcome if departures[str(name)]]
    common = cases.keys() & before.keys()
    broken = sum(before[case].conforms and not cases[case].conforms for case in common)
    fixed = sum(cases[case].conforms and not before[case].conforms for case in common)
    marks = [f"{mark}{number:,}" for mark, number in (("▼", broken), ("▲", fixed)) if number]
    return " ".join(filter(None, (share, ", ".join(named), *marks)))


def _share(part: int, whole: int) -> str:
    """Return a percentage, rounded down: only all is 100%."""
    if part == whole:
        return "100%"
    return f"{part * 1000 // whole / 10:.1f}%"
