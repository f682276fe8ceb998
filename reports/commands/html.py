"""``python -m reports html``: one self-contained page with every case."""

from __future__ import annotations

import argparse
from pathlib import Path

from reports.files import write_text
from reports.outcomes import Gate
from reports.page import page
from reports.results import load
from reports.text import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports html``."""
    parser.description = (
        "Write one self-contained HTML page of any number of results, with every case. "
        "Exit code: 0 written, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the page to write")


def run(args: argparse.Namespace) -> int:
    """Write the page; return 0 however many cases depart."""
    results = load(args.results)
    write_text(args.out, page(results, args.out.parent))
    departures = sum(record.gate == Gate.DEPARTURE for record in results.records)
    cases = count(len(results.records), "case")
    print(f"{args.out}: {count(departures, 'unexpected departure')} in {cases}")
    return 0
