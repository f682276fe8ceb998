"""``python -m reports html``: one self-contained report with every case."""

from __future__ import annotations

import argparse

from reports.results.explained.explanations import counted
from reports.results.files.reading import load
from reports.results.records import ResultsError
from reports.results.shared.options import path_of_option
from reports.views.choosing import add_causes_argument
from reports.views.documents import add_out_arguments, put
from reports.views.headline import unexpected
from reports.views.report import html_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports html``."""
    parser.description = (
        "Write one self-contained HTML file about results, with every case. Those of one device must be of one build "
        "of OpenVINO: `python -m reports site` shows several. "
        "Exit code: 0 written, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    add_causes_argument(parser, "a folder of causes of your own, whose components the report shows")
    parser.add_argument(
        "--issues",
        type=path_of_option,
        metavar="DIR",
        help="the folder that `python -m reports issues` wrote, whose texts the buttons 'Copy issue' then copy. "
        "Without it the texts are made from the failure folders, and their scripts were not run",
    )
    add_out_arguments(parser, "the HTML file to write", required=True)


def run(args: argparse.Namespace) -> int:
    """Write the report; return 0 however many cases depart."""
    results = load(args.results)
    if args.issues is not None and not args.issues.is_dir():
        raise ResultsError(f"--issues {args.issues}: there is no such folder")
    put(html_report(results, args.out.parent, args.causes, args.issues), args)
    print(f"{args.out}: {unexpected(counted(results.records))}")
    return 0
