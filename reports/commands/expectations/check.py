"""``expectations check``: what each entry explains and hides, and which covers select no case."""

from __future__ import annotations

import argparse

from reports import known, passing
from reports.commands.expectations.judged import facts_of, judge_all, uses
from reports.documents import Document, add_format_arguments
from reports.documents import show as show_document
from reports.expectation_files import load, load_for, paths_for
from reports.expectations import DEPTHS
from reports.headline import depths_of
from reports.records import ResultsError
from reports.results import load as load_results
from reports.text import count, listing, printable, say

HELP = "find entries that are unused or not exact"
DESCRIPTION = (
    "Find entries that cannot be used. With results: print for each entry how many departures it explains, how many "
    "crossings its cases explain without a line for them, and how many cases that pass it would hide, and find covers "
    "that select no case. Exit code: 0 none, 1 an entry hides a case that passes or a cover selects no case, 2 an "
    "entry that cannot be used."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="results of all the cases")
    parser.add_argument("--device", action="append", help="only this device (repeatable)")
    parser.add_argument(
        "--partial",
        action="store_true",
        help="the results are of a selection: a cover that selects no case of it is no error",
    )
    add_format_arguments(parser, ("markdown",))


def run(args: argparse.Namespace) -> int:
    """Check the files; return 1 for an entry that is unused or not exact."""
    files = sorted(args.directory.glob("*.toml"))
    if args.device:
        files = [path for device in args.device for path in paths_for(device, args.directory)]
        files = [path for path in dict.fromkeys(files) if path.exists()]
    entries = [entry for path in files for entry in load(path).entries]
    for path in sorted(args.directory.glob(f"*{known.SUFFIX}")):
        known.load(path)
    for path in sorted(args.directory.glob(f"*{passing.SUFFIX}")):
        passing.load(path)
    print(f"{count(len(entries), 'entry', 'entries')} in {count(len(files), 'file')} can be used")
    if not args.results:
        return 0
    results = load_results(args.results)
    devices = sorted({device for device, _ in results.targets()})
    missing = sorted(set(args.device or ()) - set(devices))
    if missing:
        raise ResultsError(
            f"no result of {listing(missing)} in these files; they have {listing(devices)}"
        )
    depth = max(depths_of(results), key=DEPTHS.index, default=DEPTHS[0])
    faults = 0
    page = Document()
    for device in args.device or devices:
        expectations = load_for(device, args.directory)
        records = [record for record in results.records if record.device == device]
        judged = judge_all(
            results,
            records,
            expectations,
            known.load_for(device, args.directory),
            passing.load_for(device, args.directory),
        )
        rows = []
        for entry, (explained, varying, hidden, folded) in uses(
            expectations, judged, facts_of(results)
        ).items():
            if explained or varying or hidden:
                example = hidden[0].case if hidden else ""
                counts = [str(len(each)) for each in (explained, folded, varying, hidden)]
                rows.append([entry.id, *counts, example])
                faults += bool(hidden)
        page.heading(f"{device}: {count(len(rows), 'entry', 'entries')} used")
        page.table(
            ["entry", "explains", "through a part", "may pass", "hides", "such as"], rows, names=1
        )
        path = paths_for(device, args.directory)[0]
        for one in expectations.unused(depth):
            # Entries of another device's file are checked with that device.
            if one.entry.path == path and not args.partial:
                faults += 1
                say(printable(f"{one.entry}: a cover selects no case: {one.cover.selector}"))
    show_document(page, args)
    return int(faults > 0)
