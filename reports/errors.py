"""The largest errors seen, as fractions of what is allowed, by operation and element type."""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from reports.document import Document, add_format_arguments, show
from reports.results import Results, ResultsError, load
from reports.text import listing

Record = Mapping[str, Any]

# How a results file writes the fraction of a bound that is zero.
BOUNDLESS = sys.float_info.max
_TYPE = re.compile(r"/([a-z]\w*)\[")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports errors``."""
    parser.description = (
        "Print the largest error of each operation and element type as a fraction of the gate's "
        "bound, for each device and profile: among the cases that are within it, and how many are "
        "outside. Operations whose answers are exact to the bit are left out. "
        "Exit code: 0 printed, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    parser.add_argument(
        "--type", action="append", metavar="T", help="only this type (f32); repeatable; default all"
    )
    add_format_arguments(parser, ("markdown",))


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    results = load(args.results)
    told = document(results, args.type)
    if not told.blocks:
        raise ResultsError(f"{listing(args.results)}: no case with a bound of its own")
    show(told, args)
    return 0


def document(results: Results, types: Iterable[str] | None = None) -> Document:
    """The table; `types` None means all element types."""
    targets = results.targets()
    wanted = None if types is None else set(types)
    cells: dict[tuple[str, str], dict[tuple[str, str], list[Record]]] = defaultdict(dict)
    for record in results.records:
        found = _TYPE.search(record["case"])
        kind = found[1] if found else ""
        if record["fraction"] is not None and (wanted is None or kind in wanted):
            row = cells[record["operation"], kind]
            row.setdefault((record["device"], record["profile"]), []).append(record)
    # A row that is exact everywhere says nothing of a bound.
    rows = [
        [operation, kind, *(_cell(row.get(target, ())) for target in targets)]
        for (operation, kind), row in sorted(cells.items())
        if any(0 < r["fraction"] < BOUNDLESS for records in row.values() for r in records)
    ]
    told = Document()
    told.table(["operation", "type", *(f"{d} ({p})" for d, p in targets)], rows, 2)
    return told


def _cell(records: Iterable[Record]) -> str:
    within = [r["fraction"] for r in records if r["fraction"] <= 1]
    outside = sum(r["fraction"] > 1 for r in records)
    told = f"{max(within):.2f}" if within else "-"
    return f"{told}; {outside} outside" if outside else told
