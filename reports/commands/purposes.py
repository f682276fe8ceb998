"""``python -m reports purposes``: outcomes by operation and purpose."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence

from reports.documents import Document, add_format_arguments, show
from reports.patterns import names_operation
from reports.results.outcomes import Outcome
from reports.results.reading import Results, load
from reports.results.records import CaseRecord, ResultsError
from reports.text import listing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports purposes``."""
    parser.description = (
        "Print a table for each device and profile, a row for each operation and purpose: cases, those that conform, "
        "and the outcomes of the others, expected or not. "
        "Exit code: 0 printed, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    parser.add_argument(
        "--operation",
        action="append",
        metavar="NAME",
        help="only this operation (Gather-8, or Gather for all versions); repeatable; default all",
    )
    add_format_arguments(parser, ("markdown",))


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    results = load(args.results)
    if args.operation:
        known = {record.operation for record in results.records}
        missing = [
            name
            for name in args.operation
            if not any(names_operation([name], each) for each in known)
        ]
        if missing:
            raise ResultsError(f"{listing(args.results)}: no case of {', '.join(missing)}")
    show(document(results, args.operation), args)
    return 0


def document(results: Results, operations: Sequence[str] | None = None) -> Document:
    """The tables of all devices and profiles; `operations` None means all."""
    page = Document()
    for device, profile in results.targets():
        records = [
            record
            for record in results.records
            if record.target == (device, profile)
            and (operations is None or names_operation(operations, record.operation))
        ]
        page.heading(f"{device} ({profile})")
        page.table(*_table(records))
    return page


def _table(records: Sequence[CaseRecord]) -> tuple[list[str], list[list[str]], int]:
    """Return a row for each operation and purpose that has cases."""
    found: dict[tuple[str, str], list[CaseRecord]] = defaultdict(list)
    for record in records:
        found[record.operation, record.purpose].append(record)
    rows = []
    for (operation, purpose), cases in sorted(found.items()):
        # A layer that compiled and whose values were not checked is none that conforms.
        others = Counter(
            str(record.outcome)
            for record in cases
            if not record.conforms or record.outcome is Outcome.COMPILED
        )
        departing = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(others.items()))
        conforming = len(cases) - others.total()
        rows.append([operation, purpose, departing, f"{len(cases):,}", f"{conforming:,}"])
    return ["operation", "purpose", "other outcomes", "cases", "conform"], rows, 3
