"""``python -m reports errors``: the largest errors as fractions of their bounds."""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable

from reports.results.files.reading import Results, load
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.text import listing
from reports.views.documents import ReportDocument, add_format_arguments, show

# A results file has this for an error where the bound is zero.
BOUNDLESS = sys.float_info.max
_TYPE = re.compile(r"/([a-z]\w*)\[")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports errors``."""
    parser.description = (
        "Print the largest error of each operation and element type as a fraction of the gate's "
        "bound, for each device and profile, of the cases within the bound, and the number of "
        "cases outside it. Operations that are compared bit for bit are omitted. "
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
    report = document(results, args.type)
    if not report.blocks:
        raise ResultsError(f"{listing(args.results)}: no case has an error bound")
    show(report, args)
    return 0


def document(results: Results, types: Iterable[str] | None = None) -> ReportDocument:
    """The table; `types` None means all element types."""
    targets = results.targets()
    selected = None if types is None else set(types)
    cells: dict[tuple[str, str], dict[tuple[str, str], list[CaseRecord]]] = defaultdict(dict)
    for record in results.records:
        found = _TYPE.search(record.case)
        kind = found[1] if found else ""
        if record.fraction is not None and (selected is None or kind in selected):
            row = cells[record.operation, kind]
            row.setdefault(record.target, []).append(record)
    # A row that is exact everywhere has no bound.
    rows = [
        [operation, kind, *(_cell(row.get(target, ())) for target in targets)]
        for (operation, kind), row in sorted(cells.items())
        if any(0 < error < BOUNDLESS for records in row.values() for error in _fractions(records))
    ]
    report = ReportDocument()
    report.table(["operation", "type", *(f"{d} ({p})" for d, p in targets)], rows, 2)
    return report


def _cell(records: Iterable[CaseRecord]) -> str:
    fractions = _fractions(records)
    within = [fraction for fraction in fractions if fraction <= 1]
    outside = len(fractions) - len(within)
    largest = f"{max(within):.2f}" if within else "-"
    return f"{largest}; {outside} outside" if outside else largest


def _fractions(records: Iterable[CaseRecord]) -> list[float]:
    return [record.fraction for record in records if record.fraction is not None]
