"""Purposes against operations: how many cases of each there are, and how they ended."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from reports.document import Document, add_format_arguments, show
from reports.outcomes import conforms
from reports.results import Results, ResultsError, load
from reports.text import listing

Record = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports purposes``."""
    parser.description = (
        "Print, for each device and profile, purposes against operations. A cell is the number of "
        "cases that conform, of how many if not all do, and the outcomes of the others, expected "
        "or not; - where the operation has no such case. "
        "Exit code: 0 printed, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    parser.add_argument(
        "--operation",
        action="append",
        metavar="NAME",
        help="only this operation (Gather-8); repeatable; default all",
    )
    add_format_arguments(parser, ("markdown",))


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    results = load(args.results)
    if args.operation:
        known = {record["operation"] for record in results.records}
        missing = [name for name in args.operation if name not in known]
        if missing:
            raise ResultsError(f"{listing(args.results)}: no case of {', '.join(missing)}")
    show(document(results, args.operation), args)
    return 0


def document(results: Results, operations: Sequence[str] | None = None) -> Document:
    """The tables of all devices and profiles; `operations` None means all."""
    told = Document()
    for device, profile in results.targets():
        records = [
            record
            for record in results.records
            if (record["device"], record["profile"]) == (device, profile)
            and (operations is None or record["operation"] in operations)
        ]
        told.heading(f"{device} ({profile})")
        told.table(*_table(records))
    return told


def _table(records: Sequence[Record]) -> tuple[list[str], list[list[str]], int]:
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        cells[record["purpose"], record["operation"]].append(record)
    names = sorted({record["operation"] for record in records})
    purposes = sorted({record["purpose"] for record in records})
    rows = [
        [purpose, *(_cell(cells.get((purpose, name), ())) for name in names)]
        for purpose in purposes
    ]
    return ["purpose", *names], rows, 1


def _cell(records: Sequence[Record]) -> str:
    if not records:
        return "-"
    others = Counter(record["outcome"] for record in records if not conforms(record))
    if not others:
        return str(len(records))
    told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(others.items()))
    return f"{len(records) - others.total()} of {len(records)}; {told}"
