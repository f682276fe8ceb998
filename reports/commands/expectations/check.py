"""``expectations check``: find entries that cannot be used, match no case or no longer depart."""

from __future__ import annotations

import argparse

from reports.commands.expectations.judged import facts_of, is_stale, judge_all
from reports.expectation_files import load, load_for, paths_for
from reports.records import ResultsError
from reports.results import load as load_results
from reports.text import count, listing, printable, say

HELP = "find unused entries"
DESCRIPTION = (
    "Find entries that cannot be used and, with results, entries that match no case. "
    "Exit code: 0 none, 1 entries that match no case, 2 an entry that cannot be used."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="results of all the cases")
    parser.add_argument("--device", action="append", help="only this device (repeatable)")


def run(args: argparse.Namespace) -> int:
    """Check the files; return 1 if an entry matches no case."""
    files = sorted(args.directory.glob("*.toml"))
    if args.device:
        files = [path for device in args.device for path in paths_for(device, args.directory)]
        files = [path for path in dict.fromkeys(files) if path.exists()]
    entries = load(*files).entries
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
    found = 0
    for device in args.device or devices:
        path = paths_for(device, args.directory)[0]
        expectations = load_for(device, args.directory)
        records = [record for record in results.records if record.device == device]
        judged = judge_all(results, records, expectations)
        for entry in expectations.entries:
            # Entries of another device's file are checked with that device.
            if entry.path == path and is_stale(entry, judged, facts_of(results)):
                print(printable(f"{entry}: no departure left"))
        for entry in expectations.unused():
            if entry.path == path:
                found += 1
                say(f"{entry}: matches no case of these results")
    return int(found > 0)
