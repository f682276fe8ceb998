"""``expectations update``: accept new departures with a reason, remove entries without any.

An update changes only the entries that it must: all other text of the file, comments included,
is unchanged. A new departure is accepted only with a reason.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from reports.commands.expectations.judged import Judged, facts_of, is_stale, judge_all
from reports.documents import Document, Item, Remark, as_text
from reports.expectation_edits import new_entries, rewrite, text_of
from reports.expectation_files import load_for, paths_for
from reports.expectations import Entry
from reports.files import write_text
from reports.outcomes import Gate, Outcome
from reports.records import ResultsError
from reports.results import load as load_results
from reports.selectors import matches
from reports.text import count, listing, printable

HELP = "bring the file up to date"
DESCRIPTION = (
    "Compare a run with the expectations of a device. New departures are listed, and accepted "
    "only with --reason. Exit code: 0 the file agrees with the run, 1 departures remain, "
    "2 wrong usage or an unreadable file."
)
LINES = 50
NOT_THE_DEVICE = (Outcome.ABSENT, Outcome.ERROR)
"""Outcomes that cannot be accepted: they say nothing about the device."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("results", nargs="+", metavar="RESULTS", help="results files of runs")
    add("--device", required=True, help="the device")
    add("--reason", type=_not_empty, help="accept new departures, for this reason")
    add(
        "--case",
        action="append",
        metavar="PATTERN",
        help="accept only departures of cases that match, * and ? are wildcards; repeatable "
        "(different defects have different reasons)",
    )
    add("--link", type=_not_empty, help="URL of a description of the defect")
    add(
        "--prune",
        action="store_true",
        help="remove entries whose cases were run and no longer depart; use it only with results "
        "of all cases: a selection does not show that none departs",
    )


def _not_empty(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("must not be empty")
    return text


def run(args: argparse.Namespace) -> int:
    """Update the file; return 1 if departures remain."""
    path = paths_for(args.device, args.directory)[0]
    results = load_results(args.results)
    records = [record for record in results.records if record.device == args.device]
    if not records:
        devices = listing(sorted({device for device, _ in results.targets()})) or "no device"
        raise ResultsError(f"no result of {args.device} in these files; they have {devices}")
    expectations = load_for(args.device, args.directory)
    judged = judge_all(results, records, expectations)
    own = [entry for entry in expectations.entries if entry.path == path]

    departures = [one for one in judged if one.gate == Gate.DEPARTURE]
    lost = [one for one in departures if one.record.outcome in NOT_THE_DEVICE]
    if lost:
        _print_departures("not caused by the device: fix the cause and run again", lost)
        return 1
    accepted = [one for one in departures if _is_chosen(one.record.case, args)]
    left = [one for one in departures if not _is_chosen(one.record.case, args)]
    if left and not accepted:
        _print_departures("new; accept them with --reason TEXT", left)
        return 1

    stale = [entry for entry in own if is_stale(entry, judged, facts_of(results))]
    removed = {entry.number for entry in stale} if args.prune else set()
    if accepted or removed:
        profiles = {record.profile for record in records}
        added = new_entries(
            [one.record for one in accepted], profiles, args.reason or "", args.link
        )
        text = rewrite(text_of(path, args.device), path, removed, added)
        write_text(path, text)
        print(
            f"{printable(str(path))}: {count(len(accepted), 'departure')} accepted in "
            f"{count(len(added), 'new entry', 'new entries')}, "
            f"{count(len(removed), 'entry', 'entries')} removed"
        )
    else:
        print(f"{printable(str(path))}: no new departure")
    if not args.prune:
        for entry in stale:
            print(printable(f"{entry}: no departure left; --prune removes it"))
    for entry in own:
        better = listing(sorted(_improvements(entry, judged)))
        if better:
            print(printable(f"{entry}: now {better}, which is better: edit the entry"))
    for entry in expectations.unused():
        if entry.path == path:
            print(printable(f"{entry}: matches no case of these results"))
    if left:
        _print_departures("new, not accepted", left)
    return int(bool(left))


def _is_chosen(case: str, args: argparse.Namespace) -> bool:
    """Tell whether the user gave a reason for departures of this case."""
    return bool(args.reason) and (
        not args.case or any(matches(pattern, case) for pattern in args.case)
    )


def _improvements(entry: Entry, judged: Iterable[Judged]) -> set[str]:
    """Return the outcomes that are better than the entry expects, but do not conform."""
    return {
        str(one.record.outcome)
        for one in judged
        if one.entry is entry and one.gate == Gate.IMPROVED and not one.record.conforms
    }


def _print_departures(what: str, departures: Sequence[Judged]) -> None:
    page = Document()
    page.paragraph(f"{count(len(departures), 'departure')}, {what}:")
    lines: list[Item | Remark] = [
        Item(
            str(record.outcome),
            f"{record.case} ({record.profile})",
            f"expected {listing([str(one) for one in entry.outcomes])}, {entry.reason}"
            if entry
            else record.detail,
        )
        for record, entry, _ in departures[:LINES]
    ]
    if len(departures) > LINES:
        lines.append(Remark(f"… and {len(departures) - LINES:,} more"))
    page.items(lines)
    sys.stdout.write(as_text(page))
